#include "geometry/gaussian_width.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numbers>

namespace rivulet::geometry {
namespace {

// Composite Gauss-Legendre quadrature: five nodes a panel, exact for polynomials of degree 9 on each.
//
// The integral of f over [from, from + panels * panel].
template <typename Function>
double integrate(const Function& f, double from, double panel, int panels) {
  constexpr std::array<double, 5> nodes = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                           0.9061798459386640};
  constexpr std::array<double, 5> weights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                             0.4786286704993665, 0.2369268850561891};
  double integral = 0.0;
  for (int k = 0; k < panels; ++k) {
    const double middle = from + (k + 0.5) * panel;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      integral += 0.5 * panel * weights[j] * f(middle + 0.5 * panel * nodes[j]);
    }
  }
  return integral;
}

// log(x^a e^-x / Gamma(a + 1)).
double log_front(double a, double x) {
  if (a <= 20.0) return a * std::log(x) - x - std::log(std::tgamma(a + 1.0));
  // By Stirling's series, in the difference of x and a: both sides are huge where the quotient is not.
  const double mu = (x - a) / a;
  const double series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * a * a)) / (a * a)) / a;
  return a * (std::log1p(mu) - mu) - 0.5 * std::log(2.0 * std::numbers::pi * a) - series;
}

// log P(||g||_2 <= t) for g standard normal in `degrees` dimensions, t > 0. The probability has relative error below
// 1e-13 (1 + degrees/1e3), and so has its complement where that is the smaller of the two. Time: up to some
// 6 sqrt(degrees) additions and divisions.
//
// The regularised incomplete gamma function at a = degrees/2, x = t^2/2, by its power series where that is the smaller
// part and by Lentz's continued fraction of the other part elsewhere (Numerical Recipes, 6.2).
double log_chi_probability(std::size_t degrees, double t) {
  const double a = static_cast<double>(degrees) / 2.0;
  const double x = t * t / 2.0;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  if (x < a + 1.0) {
    double term = 1.0;
    double sum = 1.0;
    for (int n = 1; term > epsilon * 0.1 * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return log_front(a, x) + std::log(sum);
  }
  constexpr double tiny = 1e-300;
  double b = x + 1.0 - a;
  double c = 1.0 / tiny;
  double d = 1.0 / b;
  double fraction = d;
  for (int k = 1; k < 1'000'000; ++k) {
    const double n = k;
    const double numerator = -n * (n - a);
    b += 2.0;
    d = numerator * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + numerator / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1.0 / d;
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1.0) < epsilon) break;
  }
  return std::log1p(-std::exp(log_front(a, x)) * a * fraction);
}

}  // namespace

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

namespace {

// The density of |g|.
double half_normal(double t) {
  return std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * t * t);
}

// E[(|g| - c)+^2 | |g| <= cut]. As a sum of positive terms, because it may be divided by a tiny 1 - A.
double expected_square_above(double c, double cut) {
  if (c >= cut) return 0.0;
  const double length = std::min(cut - c, 9.0);
  const int panels = 1 + static_cast<int>(length);
  const double integral =
      integrate([c](double t) { return (t - c) * (t - c) * half_normal(t); }, c, length / panels, panels);
  return integral / std::erf(cut / std::numbers::sqrt2);
}

// The bound when the largest |g_i| is known. Golden section: the objective is convex, and every value of it a bound.
double bound_given_largest(double others, double a, double largest) {
  const auto dual = [&](double m) {
    const double excess = std::max(largest - a * m, 0.0);
    return m + (excess * excess + others * expected_square_above(a * m, largest)) / (4.0 * (1.0 - a) * m);
  };
  // The optimal m lies between half the supremum and the supremum, which lies between the largest entry and the norm.
  double low = 0.5 * largest;
  double high = std::sqrt(largest * largest + others * expected_square_above(0.0, largest));
  high = std::min(high, largest / a);
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double left_value = dual(left);
  double right_value = dual(right);
  while (high - low > 1e-6 * high) {
    if (left_value < right_value) {
      high = right;
      right = left;
      right_value = left_value;
      left = high - golden * (high - low);
      left_value = dual(left);
    } else {
      low = left;
      left = right;
      left_value = right_value;
      right = low + golden * (high - low);
      right_value = dual(right);
    }
  }
  return std::min(left_value, right_value);
}

}  // namespace

double elastic_ball_width(std::size_t dimension, double l1_share) {
  const double d = static_cast<double>(dimension);
  const auto weighted = [&](double largest) {
    const double density =
        d * half_normal(largest) * std::exp((d - 1.0) * std::log1p(-std::erfc(largest / std::numbers::sqrt2)));
    return density > 1e-20 ? density * bound_given_largest(d - 1.0, l1_share, largest) : 0.0;
  };
  return std::min(integrate(weighted, 0.0, 1.0 / 16.0, 240), l2_ball_width(dimension));
}

}  // namespace rivulet::geometry
