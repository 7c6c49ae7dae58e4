#include "geometry/gaussian_width.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "geometry/chi_distribution.h"
#include "geometry/quadrature.h"

namespace rivulet::geometry {

double l2_ball_width(std::size_t dimension) {
  const double n = static_cast<double>(dimension) / 2.0;
  // tgamma stays in range and, unlike lgamma, touches no global state.
  if (dimension <= 200) return std::numbers::sqrt2 * std::tgamma(n + 0.5) / std::tgamma(n);
  // Gamma(n + 1/2) / Gamma(n) by its asymptotic series; the first term left out is below 2e-13 here.
  const double x = 1.0 / n;
  const double series = 1.0 + x * (-1.0 / 8.0 + x * (1.0 / 128.0 + x * (5.0 / 1024.0 - x * 21.0 / 32768.0)));
  return std::sqrt(2.0 * n) * series;
}

// The fall of the probabilities below from 1 to 0 is about 1 / sqrt(2 log d) wide, above 0.1 in range, so panels of
// 1/16 resolve it; past 20 the tail is below d * 1e-88.

double l1_ball_width(std::size_t dimension) {
  // E max |g_i| = integral over t > 0 of P(max |g_i| > t) = 1 - (1 - erfc(t / sqrt 2))^d.
  const double d = static_cast<double>(dimension);
  const auto exceed = [d](double t) { return -std::expm1(d * std::log1p(-std::erfc(t / std::numbers::sqrt2))); };
  return integrate(exceed, 0.0, 1.0 / 16.0, 320);
}

double simplex_width(std::size_t dimension) {
  // E max g_i = integral over t > 0 of P(max > t) - P(max < -t).
  const double d = static_cast<double>(dimension);
  const auto difference = [d](double t) {
    const double tail = 0.5 * std::erfc(t / std::numbers::sqrt2);
    return -std::expm1(d * std::log1p(-tail)) - std::pow(tail, d);
  };
  return dimension == 1 ? 0.0 : integrate(difference, 0.0, 1.0 / 16.0, 320);
}

// For S = sum |g_i|^q and a = 1/q < 1:  S^a = a / Gamma(1-a) * integral over t > 0 of (1 - e^(-t S)) t^(-a-1). With
// t = y^-q and the expectation inside,
//     E ||g||_q = 1 / Gamma(1 - 1/q) * integral over y > 0 of 1 - (1 - c(y))^d,    c(y) = E[1 - e^(-(|g|/y)^q)],
// and, for an independent exponential variable X, c(y) = P(|g| > y X^(1/q)) = E erfc(y X^(1/q) / sqrt 2): smooth, and
// the formula for the L1 ball in the limit of large q.
double expected_norm(std::size_t dimension, double q) {
  const double d = static_cast<double>(dimension);
  // c(y) over w = log X by the trapezoidal rule, which converges like e^(-9.8/step) for this analytic integrand. What
  // lies below `left` weighs at most e^left = e^-50 / d: it counts only where d c(y) is no larger, that is beyond y =
  // e^25, where less than e^-25 of the integral is left.
  constexpr double step = 0.25;
  const double left = -(std::log(d) + 50.0);
  const auto hit = [&](double y) {
    double sum = 0.0;
    const int points = static_cast<int>((4.0 - left) / step);
    for (int k = 0; k <= points; ++k) {
      const double w = left + k * step;
      const double x = std::exp(w);
      sum += x * std::exp(-x) * std::erfc(y * std::exp(w / q) / std::numbers::sqrt2);
    }
    return std::min(1.0, step * sum);
  };
  const auto exceed = [&](double z) {  // over z = log y
    const double y = std::exp(z);
    return y * -std::expm1(d * std::log1p(-hit(y)));
  };
  // To the left the integrand is e^z; narrow transitions lie where y < 20, as fine as 0.04 in z; further right they are
  // 1/q wide, q < log d / log y, and in the end it falls like e^(-(q-1) z).
  double integral = std::exp(-28.0) + integrate(exceed, -28.0, 0.5, 54) + integrate(exceed, -1.0, 1.0 / 64.0, 256);
  for (int z = 3; z < 80; ++z) {
    const double part = integrate(exceed, z, 1.0 / 8.0, 8);
    integral += part;
    if (part < 1e-12 * integral) break;
  }
  return integral / std::tgamma(1.0 - 1.0 / q);
}

double group_ball_width(std::span<const std::size_t> sizes) {
  std::map<std::size_t, double> groups;  // how many of each size
  for (const std::size_t size : sizes) groups[size] += 1.0;
  // A chi variable of k degrees leaves sqrt(k) by more than s with probability at most about e^(-s^2/2).
  const double root = std::sqrt(static_cast<double>(groups.rbegin()->first));
  const double from = std::max(0.0, root - 10.0);
  const auto exceed = [&](double t) {
    double log_below = 0.0;
    for (const auto& [size, count] : groups) log_below += count * log_chi_probability(size, t);
    return -std::expm1(log_below);
  };
  return from + integrate(exceed, from, 1.0 / 16.0, 16 * 23);
}

}  // namespace rivulet::geometry
