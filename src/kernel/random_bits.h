// Cryptographic random bits: AES-256-CTR with fast key erasure.
//
// Each refill encrypts zeros under the current key; the first 48 bytes become the next key and counter and are erased,
// the rest is handed out and erased as it is read. Whoever sees the state later learns nothing about bits already used.
// The state of a secure generator comes from getrandom(2) and is never stored. A forked child reseeds before its first
// draw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rivulet::kernel {

class RandomBits {
 public:
  // Seeded by the operating system. Throws Error if it cannot be.
  static RandomBits secure();
  // Deterministic, for tests and experiments: gives no privacy whatever.
  static RandomBits insecure(std::uint64_t seed);
  // The same for one of many streams of bits from the same seed.
  static RandomBits insecure(std::uint64_t seed, std::uint64_t stream);

  RandomBits(RandomBits&&) noexcept;
  RandomBits& operator=(RandomBits&&) noexcept;
  RandomBits(const RandomBits&) = delete;  // a copy would draw the same noise twice
  RandomBits& operator=(const RandomBits&) = delete;
  ~RandomBits();

  void fill(std::span<std::byte> out);
  std::uint64_t next64();

 private:
  struct Cipher;
  static constexpr std::size_t kKeyAndCounter = 48;
  static constexpr std::size_t kBlock = 32768;

  explicit RandomBits(bool deterministic);
  void reseed();
  void refill();

  bool deterministic_;
  std::uint64_t fork_generation_;
  std::array<std::byte, kKeyAndCounter> key_{};
  std::vector<std::byte> buffer_;
  std::size_t position_;
  std::unique_ptr<Cipher> cipher_;
};

}  // namespace rivulet::kernel
