#include "geometry/ball.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"
#include "geometry/gaussian_width.h"
#include "rivulet/error.h"

namespace rivulet::geometry {

bool positive_finite(double value) {
  return value > 0.0 && std::isfinite(value);
}

void require_ball(std::size_t dimension, double radius) {
  if (dimension == 0) throw RequestError("dimension", "0 given; accepted: 1 or more");
  if (!positive_finite(radius)) {
    throw RequestError("radius", shown(radius) + " given; accepted: a positive finite number");
  }
}

double scaled_radius(double radius, double factor) {
  if (!positive_finite(factor)) {
    throw RequestError("factor", shown(factor) + " given; accepted: a positive finite number");
  }
  const double product = radius * factor;
  if (!positive_finite(product)) {
    throw RequestError("factor", shown(factor) + " takes the radius " + shown(radius) +
                                     " out of range; accepted: a factor whose product with it is positive and finite");
  }
  return product;
}

std::string ball_name(std::string_view kind, double radius) {
  return set_name(kind, {radius});
}

std::string set_name(std::string_view kind, std::initializer_list<double> numbers) {
  std::string name(kind);
  for (const double number : numbers) name += ":" + shown(number);
  return name;
}

double largest_magnitude(std::span<const double> point) {
  double largest = 0.0;
  for (const double entry : point) {
    if (std::isnan(entry)) return entry;
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

void require_finite(std::span<const double> point) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!std::isfinite(point[i])) {
      throw Error("projection: entry " + std::to_string(i) + " is " + shown(point[i]) +
                  "; accepted: finite entries; the point was left untouched");
    }
  }
}

double norm_in_units(std::span<const double> point, double unit) {
  double squares = 0.0;
  for (const double entry : point) squares += entry * entry;
  if (squares > 1e-280 && squares < 1e280) return std::sqrt(squares) / unit;
  const double largest = largest_magnitude(point);
  if (largest == 0.0) return 0.0;
  if (!std::isfinite(largest)) return largest;
  double sum = 0.0;
  for (const double entry : point) sum += (entry / largest) * (entry / largest);
  return std::sqrt(sum) * (largest / unit);
}

double sum_in_units(std::span<const double> point, double unit) {
  double sum = 0.0;
  for (const double entry : point) sum += std::abs(entry);
  if (std::isfinite(sum)) return sum / unit;
  // The sum may have overflowed where the quotient does not.
  double quotients = 0.0;
  for (const double entry : point) quotients += std::abs(entry / unit);
  return quotients;
}

void shrink_inside(const ConstraintSet& set, std::span<double> point) {
  double shrinkage = std::numeric_limits<double>::epsilon() / 2.0;
  while (!set.contains(point)) {
    shrinkage = std::min(1.0, 2.0 * shrinkage);
    for (double& entry : point) entry *= 1.0 - shrinkage;
  }
}

bool far_below_l2_ball(double width, std::size_t dimension, double diameter) {
  return width <= 0.5 * diameter * l2_ball_width(dimension);
}

}  // namespace rivulet::geometry
