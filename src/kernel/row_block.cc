#include "kernel/row_block.h"

#include <algorithm>
#include <cstring>

namespace rivulet::kernel {
namespace {

// A few KB of columns, in eights of rows (measured: d = 100 is slower with more); 2^7 rows at most, for the sums of
// add_weighted().
std::size_t width_for(std::size_t order) {
  return std::clamp<std::size_t>(1024 / order / 8 * 8, 8, 128);
}

using Four = std::int32_t __attribute__((vector_size(16)));
using FourDoubles = double __attribute__((vector_size(32)));

Four four(const std::int32_t* entries) {
  Four loaded;
  std::memcpy(&loaded, entries, sizeof loaded);
  return loaded;
}

void put(Four entries, double* to) {
  const auto numbers = __builtin_convertvector(entries, FourDoubles);
  std::memcpy(to, &numbers, sizeof numbers);
}

// The first `count` entries of 4 rows into 4 neighbouring places of each column.
void turn(const std::int32_t* rows, std::size_t stride, std::size_t count, std::size_t width, double* columns) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four a = four(rows + i);
    const Four b = four(rows + stride + i);
    const Four c = four(rows + 2 * stride + i);
    const Four d = four(rows + 3 * stride + i);
    const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    put(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), columns + i * width);
    put(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), columns + (i + 1) * width);
    put(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), columns + (i + 2) * width);
    put(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), columns + (i + 3) * width);
  }
  for (; i < count; ++i) {
    for (std::size_t r = 0; r < 4; ++r) columns[i * width + r] = static_cast<double>(rows[r * stride + i]);
  }
}

}  // namespace

RowBlock::RowBlock(std::size_t order, double unit)
    : loops_(hot_loops()),
      order_(order),
      unit_(unit),
      width_(width_for(order)),
      columns_((order - 1) * width_),
      targets_(width_),
      predictions_(width_),
      derivatives_(width_) {}

void RowBlock::load(const std::int32_t* rows, std::size_t stride, std::size_t count) {
  const std::size_t fours = count / 4 * 4;
  if (count < width_) std::fill(columns_.begin(), columns_.end(), 0.0);
  for (std::size_t r = 0; r < fours; r += 4) {
    turn(rows + r * stride, stride, order_ - 1, width_, columns_.data() + r);
  }
  for (std::size_t r = fours; r < count; ++r) {
    for (std::size_t i = 0; i + 1 < order_; ++i) columns_[i * width_ + r] = static_cast<double>(rows[r * stride + i]);
  }
  for (std::size_t r = 0; r < count; ++r) targets_[r] = static_cast<double>(rows[r * stride + order_ - 1]) * unit_;
  count_ = count;
}

std::span<const double> RowBlock::derivatives(const Loss& loss, std::span<const double> theta) {
  loops_.predict(columns_.data(), width_, order_ - 1, theta.data(), predictions_.data());
  for (double& prediction : predictions_) prediction *= unit_;
  if (const auto* library = dynamic_cast<const loss::LibraryLoss*>(&loss)) {
    library->derivatives(predictions_.data(), targets_.data(), count_, derivatives_.data());
  } else {
    for (std::size_t r = 0; r < count_; ++r) {
      try {
        derivatives_[r] = loss.derivative(predictions_[r], targets_[r]);
      } catch (...) {
        derivatives_[r] = 0.0;
      }
    }
  }
  std::fill(derivatives_.begin() + static_cast<std::ptrdiff_t>(count_), derivatives_.end(), 0.0);
  return derivatives_;
}

void RowBlock::add_weighted(std::span<const double> weights, std::span<std::int64_t> sums) const {
  loops_.weigh(columns_.data(), width_, order_ - 1, weights.data(), sums.data());
}

}  // namespace rivulet::kernel
