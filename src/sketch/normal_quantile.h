// Normal numbers from uniform 32-bit words, by inversion: one word, one number, no rejection.
//
// A word names one of 2^32 equally likely cells; its number is the normal quantile at the middle of the cell. That law
// is within 2^-33 of N(0, 1) in Kolmogorov's distance, is exactly symmetric, ends at +-6.338 and has variance 1 -
// 3e-10. The quantile is algorithm AS 241 (PPND16) of M. J. Wichura, Applied Statistics 37 (1988): relative error about
// 1e-16. It uses + - * / sqrt and portable_log alone, so every machine computes the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rivulet::sketch {

// The quantile at (word + 1/2) / 2^32.
double normal_quantile(std::uint32_t word);

// How many words normal_entries takes at most.
inline constexpr std::size_t kPieceLength = 256;

// out[i] = scale * normal_quantile(words[i]), rounded once to single precision.
void normal_entries(std::span<const std::uint32_t> words, double scale, std::span<float> out);

}  // namespace rivulet::sketch
