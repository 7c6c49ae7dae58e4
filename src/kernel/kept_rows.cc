#include "kernel/kept_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rivulet::kernel {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << privacy::kMinimiserBits;
constexpr std::int64_t kHalf = std::int64_t{1} << (privacy::kMinimiserBits / 2);

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

RidgeMinimiser::RidgeMinimiser(const privacy::MinimiserProblem& problem, const loss::LibraryLoss& loss,
                               unsigned row_bits)
    : problem_(problem),
      loss_(loss),
      keep_(problem.keep()),
      move_(problem.move(row_bits)),
      coefficient_factor_(static_cast<double>(kLimit) / problem.lipschitz),
      high_sums_(problem.dimension),
      low_sums_(problem.dimension),
      sums_(problem.dimension) {}

std::vector<double> RidgeMinimiser::minimise(std::span<const std::int32_t> rows, std::uint64_t iterations,
                                             RowBlock& block) {
  high_.resize(block.width());
  low_.resize(block.width());
  std::vector<double> theta(problem_.dimension, 0.0);
  for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
    sum_gradients(rows, theta, block);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = keep_ * theta[i] - move_ * static_cast<double>(sums_[i]);
    project(theta);
  }
  return theta;
}

void RidgeMinimiser::sum_gradients(std::span<const std::int32_t> rows, std::span<const double> theta, RowBlock& block) {
  const std::size_t order = problem_.dimension + 1;
  const std::size_t count = rows.size() / order;
  std::fill(sums_.begin(), sums_.end(), 0);
  for (std::size_t done = 0; done < count; done += block.width()) {
    block.load(rows.data() + done * order, order, std::min(block.width(), count - done));
    const std::span<const double> derivatives = block.derivatives(loss_, theta);
    for (std::size_t r = 0; r < derivatives.size(); ++r) {
      const double scaled =
          std::clamp(derivatives[r] * coefficient_factor_, -static_cast<double>(kLimit), static_cast<double>(kLimit));
      const auto c = std::isnan(scaled) ? std::int64_t{0} : static_cast<std::int64_t>(scaled);
      const std::int64_t high = c / kHalf;
      high_[r] = static_cast<double>(high);
      low_[r] = static_cast<double>(c - high * kHalf);
    }
    std::fill(high_sums_.begin(), high_sums_.end(), 0);
    std::fill(low_sums_.begin(), low_sums_.end(), 0);
    block.add_weighted(high_, high_sums_);
    block.add_weighted(low_, low_sums_);
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] += static_cast<Int128>(high_sums_[i]) * kHalf + low_sums_[i];
  }
}

void RidgeMinimiser::project(std::span<double> theta) const {
  double squares = 0.0;
  for (const double entry : theta) squares += entry * entry;
  const double norm = std::sqrt(squares);
  if (norm <= problem_.radius) return;
  const double factor = problem_.radius / norm;
  for (double& entry : theta) entry *= factor;
}

}  // namespace rivulet::kernel
