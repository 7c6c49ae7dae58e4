#include "rivulet/constraint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "geometry/ball.h"
#include "rivulet/error.h"

namespace rivulet {
namespace geometry {
namespace {

std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), result.ptr};
}

bool positive_finite(double value) {
  return value > 0.0 && std::isfinite(value);
}

}  // namespace

void require_ball(std::size_t dimension, double radius) {
  if (dimension == 0) throw RequestError("dimension", "0 given; accepted: 1 or more");
  if (!positive_finite(radius)) {
    throw RequestError("radius", shortest(radius) + " given; accepted: a positive finite number");
  }
}

double scaled_radius(double radius, double factor) {
  if (!positive_finite(factor)) {
    throw RequestError("factor", shortest(factor) + " given; accepted: a positive finite number");
  }
  const double product = radius * factor;
  if (!positive_finite(product)) {
    throw RequestError("factor", shortest(factor) + " takes the radius " + shortest(radius) +
                                     " out of range; accepted: a factor whose product with it is positive and finite");
  }
  return product;
}

std::string ball_name(std::string_view kind, double radius) {
  return std::string(kind) + ":" + shortest(radius);
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
      throw Error("projection: entry " + std::to_string(i) + " is " + shortest(point[i]) +
                  "; accepted: finite entries; the point was left untouched");
    }
  }
}

void shrink_inside(const ConstraintSet& set, std::span<double> point) {
  double shrinkage = std::numeric_limits<double>::epsilon() / 2.0;
  while (!set.contains(point)) {
    shrinkage = std::min(1.0, 2.0 * shrinkage);
    for (double& entry : point) entry *= 1.0 - shrinkage;
  }
}

}  // namespace geometry

std::unique_ptr<ConstraintSet> parse_constraint(std::string_view text, std::size_t dimension, std::string_view field) {
  const auto refuse = [&](const std::string& reason) -> RequestError {
    return {std::string(field),
            "'" + std::string(text) + "' " + reason + "; accepted: l2:R or l1:R with a positive finite R, e.g. l2:2"};
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind != "l2" && kind != "l1") {
    throw refuse(kind.empty() ? "names no set" : "names the unknown set '" + std::string(kind) + "'");
  }
  const std::string_view number = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (number.empty()) throw refuse("has no radius");

  double radius = 0.0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), radius);
  if (status == std::errc::result_out_of_range) {
    throw refuse("has radius " + std::string(number) + ", beyond the range of a double");
  }
  if (status != std::errc{}) throw refuse("has radius '" + std::string(number) + "', which is not a number");
  if (end != number.data() + number.size()) {
    throw refuse("has '" + std::string(end, number.data() + number.size()) + "' after its radius");
  }
  if (!geometry::positive_finite(radius)) throw refuse("has radius " + std::string(number));
  return kind == "l2" ? make_l2_ball(dimension, radius) : make_l1_ball(dimension, radius);
}

}  // namespace rivulet
