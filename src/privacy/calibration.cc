#include "privacy/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {
constexpr double kRoundUp = 1.0 + 4e-16;
}

double LatticeLimits::target_scale() const {
  return std::ldexp(static_cast<double>(target_limit), -static_cast<int>(bits));
}

double joint_sensitivity(const LatticeLimits& limits, Neighbours neighbours) {
  const double norm_squared = static_cast<double>(limits.norm_squared());
  return neighbours == Neighbours::replace ? norm_squared * std::sqrt(2.0) * kRoundUp : norm_squared;
}

double paper_pair_sensitivity(Neighbours neighbours) {
  return std::sqrt(neighbours == Neighbours::replace ? 4.5 : 2.0) * kRoundUp;
}

double target_scale_for(double diameter) {
  const double square = diameter * diameter;
  // The same root written without cancellation: 2 / (sqrt(1 + 8 diameter^2) + 1).
  const double scale_squared = 2.0 / (std::sqrt(1.0 + 8.0 * square) + 1.0);
  return std::clamp(std::sqrt(scale_squared), 0.25, 1.0);
}

namespace {

// Relative error of mills_ratio below.
constexpr double kMillsError = 2e-14;

// (1 - Phi(x)) / phi(x), without overflow or underflow for x > -30.
double mills_ratio(double x) {
  if (x < 5.0) {
    // exp(x^2/2) with the rounding error of the square fed back.
    const double square = x * x;
    const double correction = std::fma(x, x, -square);
    const double density_inverse = std::exp(square / 2.0) * (1.0 + correction / 2.0);
    return std::sqrt(std::numbers::pi / 2.0) * density_inverse * std::erfc(x / std::numbers::sqrt2);
  }
  // Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/(x + ...)))), evaluated from below.
  double tail = x;
  for (int k = 120; k >= 1; --k) tail = x + k / tail;
  return 1.0 / tail;
}

}  // namespace

double gaussian_delta(double mu, double epsilon) {
  if (mu <= 0.0) return 0.0;
  const double centre = epsilon / mu;
  const double half = mu / 2.0;
  const double from = centre - half;
  if (from < -30.0) return 1.0;
  // e^epsilon phi(centre + half) = phi(centre - half), which turns the difference of tails into one of Mills ratios.
  const double ratio = mills_ratio(from);
  const double difference = ratio - mills_ratio(centre + half) + 2.0 * kMillsError * ratio;
  const double log_density = -from * from / 2.0 - 0.5 * std::log(2.0 * std::numbers::pi);
  const double log_delta = log_density + std::log(difference);
  return std::exp(log_delta) * (1.0 + 4e-16 * (std::abs(log_density) + 8.0));
}

double gaussian_mu(const Budget& budget) {
  budget.validate();
  double low = 1e-12;
  double high = 1e3;
  if (gaussian_delta(low, budget.epsilon) > budget.delta) {
    throw RequestError("epsilon", "the budget is too small to be calibrated for; accepted: a larger epsilon or delta");
  }
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double middle = std::sqrt(low * high);
    (gaussian_delta(middle, budget.epsilon) <= budget.delta ? low : high) = middle;
  }
  // The computed bound is monotone only up to rounding: step back until it holds at the very value returned.
  double mu = low * (1.0 - 1e-12);
  while (gaussian_delta(mu, budget.epsilon) > budget.delta) mu *= 1.0 - 1e-12;
  return mu;
}

Charge discreteness_charge(double draws, double smallest_sigma, const Budget& budget) {
  constexpr double kDeltaShare = 1e-9;
  constexpr double kRoundUp = 1.0 + 1e-9;
  // Solve (1 + e^(epsilon + 1)) * draws * tail = share * delta for the tail, then the bound that gives it. The +1
  // covers N eta, which is checked to be far smaller by the caller's budget split.
  const double log_tail = std::log(kDeltaShare * budget.delta) - std::log(draws) - (budget.epsilon + 1.0) -
                          std::log1p(std::exp(-budget.epsilon - 1.0));
  // 2 exp(-(bound - 1/sigma)^2 / 2) = tail; the 1/sigma covers the rounding of round(G).
  const double bound = std::max(2.0, std::sqrt(2.0 * (std::log(2.0) - log_tail)) + 1.0 / smallest_sigma);
  const double eta = bound * bound / (24.0 * smallest_sigma * smallest_sigma);
  const double total_eta = draws * eta * kRoundUp;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!(total_eta < 0.5)) return {kInfinite, kInfinite, bound};
  // delta' is later taken as (budget.delta - charge.delta); e^(N eta) delta' <= delta' + (e^(N eta) - 1) delta.
  return {2.0 * total_eta, budget.delta * (kDeltaShare + std::expm1(total_eta)) * kRoundUp, bound};
}

}  // namespace rivulet::privacy
