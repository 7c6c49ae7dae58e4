#include "privacy/gradient_plan.h"

#include <cmath>
#include <string>

#include "base/number_text.h"
#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

constexpr unsigned kRowBits = 15;
constexpr double kEpsilonShare = 1e-6;  // largest part of epsilon that discreteness may cost
constexpr double kDeltaShare = 1e-3;    // and of delta
constexpr std::size_t kMostGradientDimensions = std::size_t{1} << 24;
constexpr std::uint64_t kMostRowsPerStep = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostRowsPerUnit = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostSums = std::uint64_t{1} << 32;
constexpr double kRoundUp = 1.0 + 1e-14;

void require(bool holds, const char* field, std::uint64_t value, std::uint64_t most) {
  if (!holds) throw RequestError(field, std::to_string(value) + " given; accepted: 1 to " + std::to_string(most));
}

}  // namespace

GradientPlan::GradientPlan(const GradientRequest& request) : request_(request) {
  request.budget.validate();
  require(request.dimension >= 1 && request.dimension <= kMostGradientDimensions, "dimension", request.dimension,
          kMostGradientDimensions);
  require(request.rows_per_step >= 1 && request.rows_per_step <= kMostRowsPerStep, "release-every",
          request.rows_per_step, kMostRowsPerStep);
  require(request.rows_per_unit >= 1 && request.rows_per_unit <= (request.units ? kMostRowsPerUnit : 1),
          "max-rows-per-unit", request.rows_per_unit, request.units ? kMostRowsPerUnit : 1);
  require(request.most_sums >= 1 && request.most_sums <= kMostSums, "iterations", request.most_sums, kMostSums);
  limits_.bits = kRowBits;
  limits_.target_limit = std::int64_t{1} << kRowBits;
  const double a_row =
      std::ldexp(request.neighbours == Neighbours::replace ? 2.0 : 1.0, 2 * static_cast<int>(kRowBits));
  lattice_sensitivity_ = a_row * static_cast<double>(request.rows_per_unit);

  // Without the charge mu is larger and sigma smaller: charging at that sigma is on the safe side. No sum has less
  // noise than one that takes the whole budget.
  mu_ = gaussian_mu(request.budget);
  const double draws = static_cast<double>(request.most_sums) * static_cast<double>(request.dimension);
  const double smallest_sigma = lattice_sensitivity_ / mu_;
  if (smallest_sigma < kSmallestSigma) {
    throw RequestError("epsilon",
                       shown(request.budget.epsilon) +
                           " leaves less noise than can be drawn exactly; a smaller epsilon or delta is needed");
  }
  charge_ = discreteness_charge(draws, smallest_sigma, request.budget);
  if (!(charge_.epsilon <= kEpsilonShare * request.budget.epsilon) ||
      !(charge_.delta <= kDeltaShare * request.budget.delta)) {
    throw RequestError("iterations", std::to_string(request.most_sums) + " noisy sums of " +
                                         std::to_string(request.dimension) +
                                         " coordinates are too many for exact noise; fewer iterations are needed");
  }
  mu_ = gaussian_mu({request.budget.epsilon - charge_.epsilon, request.budget.delta - charge_.delta});
}

double GradientPlan::sigma_for(double mu_k) const {
  const double sigma = lattice_sensitivity_ / mu_k * kRoundUp;
  if (!(mu_k > 0.0) || !(mu_k <= mu_) || !(sigma <= kLargestSigma) || !(charge_.bound * sigma < kLargestDraw)) {
    throw Error("a noisy sum that costs " + shown(mu_k) + " cannot be drawn: the budget is " + shown(mu_));
  }
  return sigma;
}

double GradientPlan::lattice_unit(double lipschitz) const {
  return std::ldexp(lipschitz, -2 * static_cast<int>(limits_.bits));
}

}  // namespace rivulet::privacy
