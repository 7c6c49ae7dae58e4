// Cryptographic random bits: AES-256-CTR with fast key erasure.
//
// Each refill encrypts zeros under the current key; the first 48 bytes become the next key and counter and are erased,
// the rest is handed out and erased as it is read. Whoever sees the state later learns nothing about bits already used.
// The state of a secure generator comes from getrandom(2) and is never stored. A copy of the process (fork) reseeds
// before its first draw, and where the kernel can wipe pages for a copy, the copy never has the state at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rivulet/process_mark.h"

namespace rivulet::kernel {

class RandomBits {
 public:
  // Seeded by the operating system. Throws Error if it cannot be.
  static RandomBits secure();
  // Deterministic, for tests and experiments: gives no privacy whatever.
  static RandomBits insecure(std::uint64_t seed);
  // The same for one of many streams of bits from the same seed.
  static RandomBits insecure(std::uint64_t seed, std::uint64_t stream);
  // Bits that a secret and the question they answer decide: the same for the same question, and to whoever does not
  // know the secret as good as fresh ones for any other (HMAC-SHA-256). The secret is as sensitive as the noise.
  static RandomBits derived(std::string_view secret, std::string_view question);

  RandomBits(RandomBits&&) noexcept;
  RandomBits& operator=(RandomBits&&) noexcept;
  RandomBits(const RandomBits&) = delete;  // a copy would draw the same noise twice
  RandomBits& operator=(const RandomBits&) = delete;
  ~RandomBits();

  void fill(std::span<std::byte> out);
  std::uint64_t next64();

 private:
  struct Cipher;
  struct State;
  struct Release {
    bool on_pages = true;  // not in the state, which may be wiped
    void operator()(State* state) const;
  };

  explicit RandomBits(bool deterministic);
  static std::unique_ptr<State, Release> make_state(bool deterministic);
  void reseed();
  void refill();

  bool deterministic_;
  ProcessMark process_;  // that the state belongs to
  std::unique_ptr<State, Release> state_;
  std::unique_ptr<Cipher> cipher_;
};

}  // namespace rivulet::kernel
