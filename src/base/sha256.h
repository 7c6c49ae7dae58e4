// SHA-256 (FIPS 180-4) of bytes that arrive piece by piece, through OpenSSL.
#pragma once

#include <array>
#include <memory>
#include <string_view>

struct evp_md_ctx_st;

namespace rivulet {

using Sha256Digest = std::array<unsigned char, 32>;

// Throws Error when OpenSSL refuses, which it does only without memory or without the algorithm.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256& other);
  Sha256& operator=(const Sha256& other);  // reuses its memory
  Sha256(Sha256&&) noexcept = default;
  Sha256& operator=(Sha256&&) noexcept = default;
  ~Sha256() = default;

  void update(std::string_view bytes);
  // Of everything so far; more may follow.
  [[nodiscard]] Sha256Digest digest() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace rivulet
