// The numbers that the matrix Phi is made of: random words from a public seed, and normal numbers from words. The same
// on every machine and in every version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rivulet::sketch {

// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
// 2, 3" (SC 2011): a keyed bijection of 128 bits in ten rounds of multiplications. Any word of the sequence is computed
// alone, which is what lets a column of the matrix be made when it is asked for. Integers only: the same everywhere.
// Not a source of secrets; the matrix is public.

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// The kinds of matrices draw from sequences of their own, also under the same seed.
enum class WordStream : std::uint32_t { gaussian = 1, sparse_sign = 2 };

// Words 4 * group to 4 * group + 3 of a column. Part of the stored format: a change would change every matrix.
constexpr PhiloxCounter column_words(std::uint64_t seed, WordStream stream, std::uint32_t column, std::uint32_t group) {
  return philox4x32_10({group, column, 0, static_cast<std::uint32_t>(stream)},
                       {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

// Normal numbers from uniform 32-bit words, by inversion: one word, one number, no rejection.
//
// A word names one of 2^32 equally likely cells; its number is the normal quantile at the middle of the cell. That law
// is within 2^-33 of N(0, 1) in Kolmogorov's distance, is exactly symmetric, ends at +-6.338 and has variance 1 -
// 3e-10. The quantile is algorithm AS 241 (PPND16) of M. J. Wichura, Applied Statistics 37 (1988): relative error about
// 1e-16. It uses + - * / sqrt and portable_log alone, so every machine computes the same bits.

// The quantile at (word + 1/2) / 2^32.
double normal_quantile(std::uint32_t word);

// How many words normal_entries takes at most.
inline constexpr std::size_t kPieceLength = 256;

// out[i] = scale * normal_quantile(words[i]), rounded once to single precision.
void normal_entries(std::span<const std::uint32_t> words, double scale, std::span<float> out);

}  // namespace rivulet::sketch
