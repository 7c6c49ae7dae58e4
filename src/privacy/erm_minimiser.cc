#include "privacy/erm_minimiser.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number_text.h"
#include "base/portable_math.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

constexpr double kRounding = 0x1p-52;          // u of erm_minimiser.h
constexpr double kUp = 1.0 + 0x1p-40;          // makes good what a sum of a few dozen positive terms loses
constexpr double kConstantUp = 1.0 + 0x1p-48;  // constants of losses are right to within a few units of rounding
constexpr double kShare = 1.0 / 64.0;

void require_range(const char* field, const char* what, double value) {
  if (value >= 1e-100 && value <= 1e100) return;
  throw RequestError(field, std::string(what) + " is " + shown(value) +
                                "; output perturbation accepts: a number between 1e-100 and 1e100");
}

// a^exponent for 0 <= a < 1, not above it: `a` itself is right to within 3 units of rounding.
double power_rounded_down(double a, std::uint64_t exponent) {
  double result = 1.0;
  double square = a * (1.0 - 4.0 * kRounding);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) result *= square * (1.0 - 2.0 * kRounding);
    square *= square * (1.0 - 2.0 * kRounding);
  }
  return result;
}

// f: how many rows' worth of gradient change, twice as many for replace.
double changed_rows(const GradientPlan& plan) {
  return std::ldexp(plan.lattice_sensitivity(), -2 * static_cast<int>(plan.limits().bits));
}

}  // namespace

MinimiserProblem MinimiserProblem::of(const Loss& loss, std::size_t dimension, double rows, double radius,
                                      double ridge) {
  require_range("constraint", "the radius in unit-ball units", radius);
  require_range("ridge", "it", ridge);
  MinimiserProblem problem;
  problem.dimension = dimension;
  problem.rows = rows;
  problem.radius = radius;
  problem.ridge = ridge;
  problem.lipschitz = loss.lipschitz(radius) * kConstantUp;
  // Predictions as computed leave [-R, R] by less than this.
  problem.smoothness = loss.smoothness(radius + 0x1p-20 * (radius + 1.0)) * kConstantUp;
  if (!std::isfinite(problem.smoothness)) {
    throw RequestError("loss", loss.name() +
                                   " has a kink, and output perturbation needs a smooth loss; accepted: squared, "
                                   "logistic, smooth-hinge:WIDTH, huber:THRESHOLD, or another method");
  }
  require_range("loss", "the Lipschitz constant", problem.lipschitz);
  if (problem.smoothness != 0.0) require_range("loss", "the smoothness", problem.smoothness);
  return problem;
}

double MinimiserProblem::move(unsigned row_bits) const {
  return std::ldexp(lipschitz / (rows * (ridge + 0.5 * smoothness)), -kMinimiserBits - static_cast<int>(row_bits));
}

double MinimiserProblem::rounding() const {
  const double d = static_cast<double>(dimension);
  const double curvature = ridge + 0.5 * smoothness;
  const double a_row = kRounding * (smoothness * ((2.0 * d + 20.0) * radius + 2.0) + 48.0 * lipschitz) +
                       std::ldexp(lipschitz, -kMinimiserBits);
  const double an_update = 16.0 * kRounding * (radius + lipschitz / curvature);
  const double a_projection = (d + 8.0) * kRounding * radius;
  // 1 / (1 - a) is curvature / ridge; a row's error in the gradient of n rows comes with h = 1 / (n curvature).
  return (a_row / ridge + (an_update + a_projection) * (curvature / ridge)) * kUp;
}

double MinimiserProblem::sensitivity(const GradientPlan& plan, std::uint64_t iterations) const {
  const double reached = (1.0 - power_rounded_down(keep(), iterations)) * kUp;
  return (changed_rows(plan) * lipschitz / (rows * ridge) * std::min(1.0, reached) + 2.0 * rounding()) * kUp;
}

double MinimiserProblem::lattice_unit(const GradientPlan& plan, std::uint64_t iterations) const {
  // Truncation moves either of two minimisers by less than a unit a coordinate, and the division before it by less than
  // u times what is divided.
  const double truncation = 2.0 * std::sqrt(static_cast<double>(dimension)) * kUp;
  return (sensitivity(plan, iterations) + 8.0 * kRounding * radius) / (plan.lattice_sensitivity() - truncation) * kUp;
}

std::uint64_t MinimiserProblem::iterations(const GradientPlan& plan, double mu, std::uint64_t most) const {
  const double start = std::min(radius, lipschitz / ridge);  // the minimiser is no further from the origin
  const double wanted = kShare * changed_rows(plan) * lipschitz / (rows * ridge * mu);
  if (start <= wanted || smoothness == 0.0) return 1;
  const double ratio = 2.0 * ridge / smoothness;  // 1 / a - 1
  const double log_a = ratio < 1e-8 ? ratio : portable_log(1.0 + ratio);
  const double needed = std::ceil(portable_log(start / wanted) / log_a);
  return needed < static_cast<double>(most) ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(needed)) : most;
}

}  // namespace rivulet::privacy
