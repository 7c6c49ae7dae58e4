// SHA-256, as the glue of the release log: a damaged or exchanged entry no longer fits the next one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rivulet::log {

inline constexpr std::size_t kDigestBytes = 32;

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  Digest& add(std::string_view bytes);
  // The digest of everything added, 32 bytes; the object is empty again afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Lower-case hexadecimal.
std::string hexadecimal(std::string_view bytes);

}  // namespace rivulet::log
