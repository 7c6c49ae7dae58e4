#include "base/portable_math.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace rivulet {
namespace {

// log 2 in two parts; the first has few enough digits that its product with an exponent is exact.
constexpr double kLog2High = 0x1.62e42fee00000p-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

}  // namespace

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 710.0) return std::numeric_limits<double>::infinity();
  if (x < -746.0) return 0.0;
  const double k = std::floor(x / std::numbers::ln2 + 0.5);
  const double low = k * kLog2Low;
  const double high = x - k * kLog2High;
  const double r = high - low;
  const double lost = (high - r) - low;
  // Taylor's series; on |r| <= 0.35 the first term left out is below 1e-18.
  constexpr double coefficients[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                     1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                     1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0};
  double tail = 0.0;
  for (const double coefficient : coefficients) tail = tail * r + coefficient;
  return std::scalbn(1.0 + (r + (lost + r * r * tail)), static_cast<int>(k));
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
