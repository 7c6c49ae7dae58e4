// A few dozen kept rows at a time, column by column, so that their predictions and what they add to a gradient come out
// of loops that a processor does several rows of at once. Each prediction is summed in the order of the coordinates,
// as one row alone would be: which rows share a block shows in no bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/hot_loops.h"
#include "kernel/inside.h"
#include "loss/library_loss.h"

namespace rivulet::kernel {

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

}  // namespace rivulet::kernel
