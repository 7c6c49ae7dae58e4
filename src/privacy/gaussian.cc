#include "privacy/gaussian.h"

#include <cmath>
#include <numbers>

#include "rivulet/error.h"

namespace rivulet::privacy {
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

}  // namespace rivulet::privacy
