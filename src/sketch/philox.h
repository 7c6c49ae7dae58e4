// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
// 2, 3" (SC 2011): a keyed bijection of 128 bits in ten rounds of multiplications. Any word of the sequence is computed
// alone, which is what lets a column of the matrix be made when it is asked for. Integers only: the same everywhere.
// Not a source of secrets; the matrix is public.
#pragma once

#include <array>
#include <cstdint>

namespace rivulet::sketch {

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

}  // namespace rivulet::sketch
