// Buffered linear Toeplitz (BLT) strategies: lower-triangular Toeplitz matrices C whose first column is
//   c_0 = 1,  c_i = sum_j omega_j theta_j^(i-1),
// so that multiplying by C, and by its inverse, needs only one running buffer per j (Dvijotham, McMahan, Pillutla,
// Steinke & Thakurta 2024, "Efficient and near-optimal noise generation for streaming differential privacy").
//
// The inverse is a BLT too; its decays y_j interlace: 1 > theta_1 > y_1 > theta_2 > y_2 > ... > 0. Decays crowd against
// 1, so everything is kept as gaps: theta_gap = 1 - theta, inverse_gap = 1 - y.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/int128.h"
#include "strategy/strategy.h"

namespace rivulet::strategy {

// Number of buffers that suffice for every horizon Rivulet offers.
inline constexpr unsigned kMaxBuffers = 8;
// The integer filter adds the fractional parts of all buffers in one 64-bit word: their weights must sum to less
// than 1.
inline constexpr double kLargestOmegaSum = 0.999;

class BltParameters {
 public:
  // From interlaced gaps 0 < a_1 < g_1 < a_2 < g_2 < ... < 1 (a: theta_gap, g: inverse_gap) with every a and omega
  // below 1/2. The parameters are rounded to multiples of 2^-64 (what the integer encoder uses) and every figure below
  // is recomputed from the rounded values. Throws std::invalid_argument otherwise.
  BltParameters(const std::vector<double>& theta_gaps, const std::vector<double>& inverse_gaps);

  // Exactly the parameters of the object whose design() it is. Throws std::invalid_argument when they are not those of
  // a BLT.
  static BltParameters exactly(const Design& design);
  [[nodiscard]] Design design() const;

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

// The yardstick: the best error any lower-triangular Toeplitz strategy can have.
// Standard deviation of the n-th prefix sum under the square-root factorisation (c_i = binom(2i,i)/4^i), for
// sensitivity 1 and unit mu: sum_{i<n} c_i^2, the Landau constant of n-1. It is the optimum among Toeplitz strategies
// with horizon n (Fichtenberger, Henzinger & Upadhyay 2022; Dvijotham et al. 2024). n >= 1; relative error below 1e-13.
double sqrt_toeplitz_stddev(std::uint64_t steps);

// The BLT recurrence in integers, shared by the encoder (inside the wall) and the decoder (behind it).
//
// Per coordinate and buffer j there is one 128-bit state S_j, in units of 2^-kStateBits of a noise-lattice unit:
//   feedback = floor(2^-kStateBits * sum_j floor(omega_j S_j)),     w_t = v_t + feedback          (encode)
//                                                                   v_t = w_t - feedback          (decode)
//   S_j <- S_j - floor(theta_gap_j S_j) + v_t * 2^kStateBits.
// Both directions run the same state machine, so decode(encode(v)) == v bit for bit, for every input and every length.
//
// Rounding. Against the real-valued recurrence, each floor on S_j adds an error in [0, 1) state units that decays by
// theta_j: at most 1/theta_gap_j in total. The output is therefore off by a value in an interval of width
//   rounding_width() = 1 + (k + sum_j omega_j/theta_gap_j) 2^-kStateBits   noise-lattice units,
// whatever the input was. Two streams' outputs can differ by that much more than the exact filter's would, per
// coordinate and step; the accountant adds it to the sensitivity.
//
// Range. |S_j| stays below 2^126 while (sum of |v|) * 2^kStateBits does; the accountant checks that before the first
// row, with room to spare: states stay below 2^124, and none above that is ever restored.
class BltFilter {
 public:
  static constexpr unsigned kStateBits = 24;

  BltFilter(const BltParameters& parameters, std::size_t coordinates);

  // In place: step values v_t become encoded values w_t. values.size() == coordinates.
  void encode(std::span<Int128> values);
  // In place: encoded values w_t become step values v_t.
  void decode(std::span<Int128> values);

  // Encoder's state: as sensitive as the values that went in. Decoder's state: as public as they are.
  void save(ByteWriter& out) const;
  // Throws DamagedFile when it is not the state of a filter of this shape.
  void restore(ByteReader& in);

  // See above.
  static double rounding_width(const BltParameters& parameters);

 private:
  // One step of the recurrence for every coordinate; unrolled over the number of buffers.
  template <bool kEncode>
  void advance(std::span<Int128> values);
  template <bool kEncode, std::size_t kBuffers>
  void advance_unrolled(std::span<Int128> values);

  static constexpr unsigned kRestoredBits = 124;

  std::vector<Fraction> theta_gap_;
  std::vector<Fraction> omega_;
  std::vector<Int128> states_;  // coordinate-major, before the last step's value was added
  // That value, in state units, one per coordinate: one pass over the states then serves both directions.
  std::vector<Int128> last_;
};

class BltStrategy final : public Strategy {
 public:
  // Throws RequestError when the options ask for another number of buffers.
  BltStrategy(const Options& options, BltParameters parameters);

  [[nodiscard]] const BltParameters& parameters() const { return parameters_; }

  [[nodiscard]] double published_vectors() const override { return static_cast<double>(last_step()); }
  [[nodiscard]] double rounding_width() const override { return BltFilter::rounding_width(parameters_); }
  [[nodiscard]] std::vector<PublishedVector> published_at(std::uint64_t step) const override;
  [[nodiscard]] std::unique_ptr<Decoder> make_decoder(std::size_t coordinates) const override;
  [[nodiscard]] double decoder_norm(std::uint64_t step) const override;
  [[nodiscard]] double max_decoder_norm() const override { return decoder_norm(design_steps()); }
  [[nodiscard]] Design design() const override { return parameters_.design(); }
  [[nodiscard]] std::optional<unsigned> buffers() const override {
    return static_cast<unsigned>(parameters_.buffers());
  }
  [[nodiscard]] double kept_numbers(std::uint64_t /*last_step*/) const override {
    return static_cast<double>(parameters_.buffers());
  }

 private:
  BltParameters parameters_;
};

// Designed for the options, or with an earlier design.
std::shared_ptr<const Strategy> make_blt_strategy(const Strategy::Options& options);
std::shared_ptr<const Strategy> make_blt_strategy(const Strategy::Options& options, const Design& design);

}  // namespace rivulet::strategy
