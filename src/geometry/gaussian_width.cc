#include "geometry/gaussian_width.h"

#include <array>
#include <cmath>
#include <numbers>

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

double l1_ball_width(std::size_t dimension) {
  // E max |g_i| = integral over t > 0 of P(max |g_i| > t) = 1 - (1 - erfc(t / sqrt 2))^d. The fall from 1 to 0 is about
  // 1 / sqrt(2 log d) wide, above 0.1 in range, so Gauss-Legendre panels of 1/16 resolve it; past 20 the tail is below
  // d * 1e-88.
  constexpr double panel = 1.0 / 16.0;
  constexpr int panels = 320;
  static constexpr std::array<double, 5> nodes = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                                  0.9061798459386640};
  static constexpr std::array<double, 5> weights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                                    0.4786286704993665, 0.2369268850561891};
  const double d = static_cast<double>(dimension);
  double integral = 0.0;
  for (int k = 0; k < panels; ++k) {
    const double middle = (k + 0.5) * panel;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const double t = middle + 0.5 * panel * nodes[j];
      const double exceed = -std::expm1(d * std::log1p(-std::erfc(t / std::numbers::sqrt2)));
      integral += 0.5 * panel * weights[j] * exceed;
    }
  }
  return integral;
}

}  // namespace rivulet::geometry
