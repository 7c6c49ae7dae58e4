// Small statistical tools for tests. All thresholds are for a false-alarm probability of at most 1e-6 per use.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace rivulet::testing {

inline constexpr double kOneSidedMillionth = 4.753424;  // P(N(0,1) > this) = 1e-6
inline constexpr double kTwoSidedMillionth = 4.891638;  // P(|N(0,1)| > this) = 1e-6

// Upper 1e-6 point of chi-square with k degrees of freedom (Wilson-Hilferty; slightly conservative for k >= 10).
inline double chi_square_limit(double k) {
  const double c = 2.0 / (9.0 * k);
  return k * std::pow(1.0 - c + kOneSidedMillionth * std::sqrt(c), 3.0) + 1.0;
}

// Pearson's statistic for observed counts against probabilities (which sum to 1).
inline double chi_square(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  double total = 0.0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  double statistic = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    statistic += difference * difference / expected;
  }
  return statistic;
}

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace rivulet::testing
