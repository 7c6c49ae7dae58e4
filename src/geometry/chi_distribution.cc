#include "geometry/chi_distribution.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace rivulet::geometry {
namespace {

// log(x^a e^-x / Gamma(a + 1)).
double log_front(double a, double x) {
  if (a <= 20.0) return a * std::log(x) - x - std::log(std::tgamma(a + 1.0));
  // By Stirling's series, in the difference of x and a: both sides are huge where the quotient is not.
  const double mu = (x - a) / a;
  const double series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * a * a)) / (a * a)) / a;
  return a * (std::log1p(mu) - mu) - 0.5 * std::log(2.0 * std::numbers::pi * a) - series;
}

}  // namespace

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

}  // namespace rivulet::geometry
