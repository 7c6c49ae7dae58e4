#include "kernel/ridge_minimiser.h"

#include <algorithm>
#include <cmath>

namespace rivulet::kernel {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << privacy::kMinimiserBits;
constexpr std::int64_t kHalf = std::int64_t{1} << (privacy::kMinimiserBits / 2);

}  // namespace

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
