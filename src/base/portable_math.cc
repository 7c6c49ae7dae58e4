#include "base/portable_math.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace rivulet {

using portable::kLog2High;
using portable::kLog2Low;

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 710.0) return std::numeric_limits<double>::infinity();
  if (x < -746.0) return 0.0;
  if (std::abs(x) <= 700.0) return portable_exp_within(x);
  const portable::Exponential e(x);
  return std::scalbn(e.mantissa, static_cast<int>(e.k));
}

double portable_log(double x) {
  if (!(x > 0.0) || std::isinf(x)) return x == 0.0 ? -std::numeric_limits<double>::infinity() : x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2.0) {
    m *= 2.0;
    --exponent;
  }
  // log m = 2 artanh f, |f| < 0.172: the first term left out is below 1e-19. With f = t/2 - f t/2 for t = m - 1 exact,
  // the leading part t carries no rounding error.
  const double t = m - 1.0;
  const double f = t / (2.0 + t);
  const double square = f * f;
  constexpr double coefficients[] = {1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                     1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0};
  double tail = 0.0;
  for (const double coefficient : coefficients) tail = (tail + coefficient) * square;
  const double k = exponent;
  const double rest = f * (2.0 * tail - t) + k * kLog2Low;
  return k * kLog2High + (t + rest);
}

}  // namespace rivulet
