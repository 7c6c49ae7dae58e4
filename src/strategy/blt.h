// Buffered linear Toeplitz (BLT) strategies: lower-triangular Toeplitz matrices C whose first column is
//   c_0 = 1,  c_i = sum_j omega_j theta_j^(i-1),
// so that multiplying by C, and by its inverse, needs only one running buffer per j (Dvijotham, McMahan, Pillutla,
// Steinke & Thakurta 2024, "Efficient and near-optimal noise generation for streaming differential privacy").
//
// The inverse is a BLT too; its decays y_j interlace: 1 > theta_1 > y_1 > theta_2 > y_2 > ... > 0. Decays crowd against
// 1, so everything is kept as gaps: theta_gap = 1 - theta, inverse_gap = 1 - y.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"

namespace rivulet::strategy {

// Number of buffers that suffice for every horizon Rivulet offers.
inline constexpr unsigned kMaxBuffers = 8;
// The integer filter adds the fractional parts of all buffers in one 64-bit word: their weights must sum to less
// than 1.
inline constexpr double kLargestOmegaSum = 0.999;
// The step count an unbounded strategy is tuned for. Privacy does not depend on it: only where accuracy is best does.
inline constexpr std::uint64_t kUnboundedDesignSteps = std::uint64_t{1} << 30;

class BltParameters {
 public:
  // From interlaced gaps 0 < a_1 < g_1 < a_2 < g_2 < ... < 1 (a: theta_gap, g: inverse_gap) with every a and omega
  // below 1/2. The parameters are rounded to multiples of 2^-64 (what the integer encoder uses) and every figure below
  // is recomputed from the rounded values. Throws std::invalid_argument otherwise.
  BltParameters(const std::vector<double>& theta_gaps, const std::vector<double>& inverse_gaps);

  // Exactly the parameters that theta_gap_fraction(), omega_fraction() and inverse_gap() of another object gave. Throws
  // std::invalid_argument when they are not those of a BLT.
  static BltParameters exactly(const std::vector<std::int64_t>& theta_gap_numerators,
                               const std::vector<std::int64_t>& omega_numerators,
                               const std::vector<double>& inverse_gaps);

  [[nodiscard]] std::size_t buffers() const { return theta_gap_.size(); }
  [[nodiscard]] const std::vector<double>& theta_gap() const { return theta_gap_; }
  [[nodiscard]] const std::vector<double>& inverse_gap() const { return inverse_gap_; }
  [[nodiscard]] const std::vector<double>& omega() const { return omega_; }
  // The same as fractions of 2^64, exactly: theta_gap()[j] == theta_gap_fraction()[j].numerator() / 2^64 up to double
  // rounding.
  [[nodiscard]] const std::vector<Fraction>& theta_gap_fraction() const { return theta_gap_fraction_; }
  [[nodiscard]] const std::vector<Fraction>& omega_fraction() const { return omega_fraction_; }

  // ||C||: the largest column norm of the n x n matrix, or of the infinite one. Rounded up (relative 1e-12).
  [[nodiscard]] double column_norm(std::optional<std::uint64_t> steps) const;
  // Variance of the decoded prefix sum at step t for unit noise: sum_{i<t} b_i^2, B = A C^-1. Relative error below
  // 1e-9.
  [[nodiscard]] double prefix_variance(std::uint64_t step) const;
  // The i-th entry of the first column of C and of B (for tests and plots).
  [[nodiscard]] double strategy_entry(std::uint64_t i) const;
  [[nodiscard]] double decoder_entry(std::uint64_t i) const;
  // sum_j omega_j / theta_gap_j: how far one unit of rounding in every buffer at every step can move the output.
  [[nodiscard]] double rounding_gain() const;

 private:
  BltParameters() = default;

  std::vector<double> theta_gap_;
  std::vector<double> inverse_gap_;
  std::vector<double> omega_;
  std::vector<double> beta_;  // beta_0, beta_1, ..., beta_k: b_i = beta_0 + sum_j beta_j y_j^i
  std::vector<Fraction> theta_gap_fraction_;
  std::vector<Fraction> omega_fraction_;
};

// The BLT with `buffers` buffers that minimises ||C|| * (std of the prefix at the last step). With a horizon, both
// factors are taken at it. Without one, ||C|| is that of the infinite matrix, so the promise holds for a stream of any
// length, and the second factor is taken at kUnboundedDesignSteps. 1 <= buffers <= kMaxBuffers. Takes milliseconds.
BltParameters design_blt(std::optional<std::uint64_t> steps, unsigned buffers);

// As above, with the fewest buffers that come within 0.2% of the square-root factorisation (kMaxBuffers when
// unbounded).
BltParameters design_blt(std::optional<std::uint64_t> steps);

}  // namespace rivulet::strategy
