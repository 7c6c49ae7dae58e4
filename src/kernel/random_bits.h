// Cryptographic random bits: AES-256-CTR with fast key erasure.
//
// Each refill encrypts zeros under the current key; the first 48 bytes become the next key and counter and are erased,
// the rest is handed out and erased as it is read. Whoever sees the state later learns nothing about bits already used.
// The state of a secure generator comes from getrandom(2) and is never stored. A copy of the process (fork) reseeds
// before its first draw, and where the kernel can wipe pages for a copy, the copy never has the state at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

// --- unbiased integers below a range from whole random words (Lemire 2019) ---

// The high and low halves of word * range. `high` is uniform in [0, range) over the words with low >= 2^bits mod range.
template <typename Word>
struct Product {
  Word high;
  Word low;
};

template <typename Word, typename Wide>
constexpr Product<Word> multiply(Word word, Word range) {
  const Wide product = static_cast<Wide>(static_cast<Wide>(word) * range);
  return {static_cast<Word>(product >> std::numeric_limits<Word>::digits), static_cast<Word>(product)};
}

// Uniform in [0, range) given a uniform `word`; `next()` supplies more when it has to be thrown away.
template <typename Word, typename Wide, typename Next>
Word uniform_below(Word range, Word word, Next next) {
  Product<Word> product = multiply<Word, Wide>(word, range);
  if (product.low < range) {
    const auto biased = static_cast<Word>(static_cast<Word>(0 - range) % range);  // 2^bits mod range
    while (product.low < biased) product = multiply<Word, Wide>(next(), range);
  }
  return product.high;
}

}  // namespace rivulet::kernel
