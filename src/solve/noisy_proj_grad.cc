#include "solve/noisy_proj_grad.h"

#include <cmath>
#include <string>

#include "rivulet/error.h"

namespace rivulet::solve {
namespace {

void require_positive(const char* field, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw RequestError(field, std::to_string(value) + " given; accepted: a positive finite number");
}

}  // namespace

NoisyProjGradParameters NoisyProjGradParameters::from_corollary(double diameter, double alpha, double lipschitz,
                                                                std::uint64_t max_iterations) {
  require_positive("diameter", diameter);
  require_positive("alpha", alpha);
  require_positive("lipschitz", lipschitz);
  if (max_iterations == 0) throw RequestError("max_iterations", "0 given; accepted: 1 or more");

  const double ratio = 1.0 + lipschitz / alpha;
  const double wanted = std::ceil(ratio * ratio);
  NoisyProjGradParameters result;
  result.alpha = alpha;
  result.lipschitz = lipschitz;
  // Compared as doubles: `wanted` may exceed every integer type.
  result.reached_limit = !(wanted <= static_cast<double>(max_iterations));
  result.r = result.reached_limit ? max_iterations : static_cast<std::uint64_t>(wanted);
  result.eta = diameter / (std::sqrt(static_cast<double>(result.r)) * (alpha + lipschitz));
  return result;
}

double NoisyProjGradParameters::value_bound(double diameter) const {
  return (alpha + lipschitz) * diameter / std::sqrt(static_cast<double>(r)) + alpha * diameter;
}

std::vector<double> noisy_proj_grad(const ConstraintSet& set, const GradientFunction& g,
                                    const NoisyProjGradParameters& parameters) {
  std::vector<double> theta_1(set.dimension(), 0.0);
  set.project(theta_1);
  return noisy_proj_grad(set, g, parameters, theta_1);
}

std::vector<double> noisy_proj_grad(const ConstraintSet& set, const GradientFunction& g,
                                    const NoisyProjGradParameters& parameters, std::span<const double> theta_1) {
  const std::size_t d = set.dimension();
  if (theta_1.size() != d || !set.contains(theta_1)) {
    throw RequestError("theta_1", "not a point of " + set.name() + "; accepted: a start inside the set");
  }
  std::vector<double> theta(theta_1.begin(), theta_1.end());
  std::vector<double> gradient(d);
  std::vector<double> average(d, 0.0);
  for (std::uint64_t k = 1; k <= parameters.r; ++k) {
    for (std::size_t i = 0; i < d; ++i) average[i] += theta[i];
    if (k == parameters.r) break;  // theta_{r+1} is not part of the average
    g(theta, gradient);
    for (std::size_t i = 0; i < d; ++i) theta[i] -= parameters.eta * gradient[i];
    set.project(theta);
  }
  for (double& entry : average) entry /= static_cast<double>(parameters.r);
  // The average of points of a convex set lies in it; the projection only removes the rounding.
  set.project(average);
  return average;
}

}  // namespace rivulet::solve
