#include "geometry/elastic_width.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/gaussian_width.h"
#include "geometry/quadrature.h"

namespace rivulet::geometry {
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
