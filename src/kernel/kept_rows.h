// What PrivIncERM computes over the rows it keeps, before integers and noise: derivatives of the loss, and a minimiser.
// NOT private; it goes from here to the noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "kernel/hot_loops.h"
#include "kernel/inside.h"
#include "loss/library_loss.h"
#include "privacy/erm_minimiser.h"

namespace rivulet::kernel {

// A few dozen kept rows at a time, column by column, so that their predictions and what they add to a gradient come out
// of loops that a processor does several rows of at once. Each prediction is summed in the order of the coordinates,
// as one row alone would be: which rows share a block shows in no bit.
class RowBlock {
 public:
  // For rows of `order` entries, x and then y, integers in units of `unit`.
  RowBlock(std::size_t order, double unit);

  [[nodiscard]] std::size_t width() const { return width_; }
  // Takes up `count` rows, at most width(), each `stride` entries after the one before. Those missing are zero.
  void load(const std::int32_t* rows, std::size_t stride, std::size_t count);
  // phi'(<x, theta>, y) of each row, width() of them, 0 for those missing. A row that the loss throws for has 0:
  // whether a loss refuses a row is not for the world to see.
  std::span<const double> derivatives(const Loss& loss, std::span<const double> theta);
  // sums[i] += sum of weights[r] x_i. Exact for integer weights up to 2^30.
  void add_weighted(std::span<const double> weights, std::span<std::int64_t> sums) const;

 private:
  const HotLoops& loops_;
  std::size_t order_;
  double unit_;
  std::size_t width_;
  std::size_t count_ = 0;
  std::vector<double> columns_;
  std::vector<double> targets_;      // natural units
  std::vector<double> predictions_;  // natural units
  std::vector<double> derivatives_;
};

// The minimiser behind output perturbation, as privacy/erm_minimiser.h bounds it: a given number of projected gradient
// steps from the origin. Whatever the rows, it makes as many and never fails.
class RidgeMinimiser {
 public:
  // For rows of problem.dimension + 1 entries in units of 2^-row_bits.
  RidgeMinimiser(const privacy::MinimiserProblem& problem, const loss::LibraryLoss& loss, unsigned row_bits);

  // `block` is memory to work in, for rows of this order. problem.rows of `rows` count.
  std::vector<double> minimise(std::span<const std::int32_t> rows, std::uint64_t iterations, RowBlock& block);

 private:
  // sums_ = the sum over all rows of c x, exactly; c is phi' in units of 2^-46 L.
  void sum_gradients(std::span<const std::int32_t> rows, std::span<const double> theta, RowBlock& block);
  void project(std::span<double> theta) const;

  privacy::MinimiserProblem problem_;
  const loss::LibraryLoss& loss_;
  double keep_;
  double move_;
  double coefficient_factor_;
  std::vector<double> high_;  // c = high 2^23 + low, of a block's rows
  std::vector<double> low_;
  std::vector<std::int64_t> high_sums_;
  std::vector<std::int64_t> low_sums_;
  std::vector<Int128> sums_;
};

}  // namespace rivulet::kernel
