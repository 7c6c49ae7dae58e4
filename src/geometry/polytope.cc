// The convex hull of given vertices, and its Gaussian width.
#include "geometry/polytope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <set>

#include "base/number_text.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet::geometry {
namespace {

constexpr std::size_t kCopies = 16;
constexpr double kEnough = 1e-3;
constexpr double kMostWork = 2e9;

// Uniform on (0, 1), the same everywhere (SplitMix64).
double scattered(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1.0p-52;
}

// Fractional parts of square roots of primes: Richtmyer's sequence is their multiples.
std::vector<double> generators(std::size_t size) {
  std::vector<double> result;
  std::vector<std::uint32_t> primes;
  for (std::uint32_t candidate = 2; result.size() < size; ++candidate) {
    bool prime = true;
    for (const std::uint32_t divisor : primes) {
      if (divisor * divisor > candidate) break;
      if (candidate % divisor == 0) {
        prime = false;
        break;
      }
    }
    if (!prime) continue;
    primes.push_back(candidate);
    const double root = std::sqrt(static_cast<double>(candidate));
    result.push_back(root - std::floor(root));
  }
  return result;
}

class Estimate {
 public:
  explicit Estimate(const Hull& hull)
      : hull_(hull), pairs_((hull.dimension + 1) / 2), generators_(generators(2 * pairs_)), g_(2 * pairs_) {}

  // Points first .. last - 1 of every copy.
  void draw(std::uint64_t first, std::uint64_t last) {
    for (std::size_t copy = 0; copy < kCopies; ++copy) {
      for (std::uint64_t index = first; index < last; ++index) sums_[copy] += largest_product(copy, index);
    }
    drawn_ = static_cast<double>(last);
  }

  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double part : sums_) sum += part;
    return sum / (kCopies * drawn_);
  }
  [[nodiscard]] double standard_error() const {
    double squares = 0.0;
    for (const double part : sums_) squares += std::pow(part / drawn_ - mean(), 2.0);
    return std::sqrt(squares / (kCopies * (kCopies - 1.0)));
  }

 private:
  // max_j <v_j, g> for g on the sphere of radius E||g||: the norm is independent of the direction, and its mean known.
  double largest_product(std::size_t copy, std::uint64_t index) {
    const auto coordinate = [&](std::size_t k) {
      const double place = scattered(copy * 2 * pairs_ + k) + static_cast<double>(index) * generators_[k];
      return place - std::floor(place);
    };
    double squares = 0.0;
    for (std::size_t k = 0; k < pairs_; ++k) {  // Box and Muller
      const double radius = std::sqrt(-2.0 * std::log(std::max(coordinate(2 * k), 1e-300)));
      const double angle = 2.0 * std::numbers::pi * coordinate(2 * k + 1);
      g_[2 * k] = radius * std::cos(angle);
      g_[2 * k + 1] = radius * std::sin(angle);
    }
    for (std::size_t i = 0; i < hull_.dimension; ++i) squares += g_[i] * g_[i];
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      const auto vertex = hull_.vertex(j);
      double product = 0.0;
      for (std::size_t i = 0; i < vertex.size(); ++i) product += vertex[i] * g_[i];
      largest = std::max(largest, product);
    }
    return largest * (l2_ball_width(hull_.dimension) / std::sqrt(squares));
  }

  const Hull& hull_;
  std::size_t pairs_;
  std::vector<double> generators_;
  std::vector<double> g_;
  std::array<double, kCopies> sums_{};
  double drawn_ = 0.0;
};

}  // namespace

double hull_width(const Hull& hull) {
  if (hull.count() == 2) {
    double squares = 0.0;
    for (std::size_t i = 0; i < hull.dimension; ++i) squares += std::pow(hull.vertex(0)[i] - hull.vertex(1)[i], 2.0);
    return std::sqrt(squares / (2.0 * std::numbers::pi));
  }
  if (hull.dimension == 1) {
    const auto [low, high] = std::minmax_element(hull.entries.begin(), hull.entries.end());
    return (*high - *low) / std::sqrt(2.0 * std::numbers::pi);
  }
  double longest = 0.0;
  for (std::size_t j = 0; j < hull.count(); ++j) {
    double squares = 0.0;
    for (const double entry : hull.vertex(j)) squares += entry * entry;
    longest = std::max(longest, std::sqrt(squares));
  }
  const double bound = longest * std::sqrt(2.0 * std::log(static_cast<double>(hull.count())));

  Estimate estimate(hull);
  const double work_of_a_draw = static_cast<double>(kCopies * hull.entries.size());
  std::uint64_t drawn = 0;
  for (std::uint64_t next = 64; drawn == 0 || static_cast<double>(next) * work_of_a_draw <= kMostWork; next *= 2) {
    estimate.draw(drawn, next);
    drawn = next;
    if (estimate.standard_error() <= kEnough * estimate.mean()) break;
  }
  return std::min(estimate.mean(), bound);
}

}  // namespace rivulet::geometry

namespace rivulet {

// Floating-point points are never exactly in a hull that is flat or whose facets are oblique, so membership means:
// within 1e-12 diameters. Everything rests on one routine, the nearest point of the hull.

namespace geometry {
namespace {

constexpr double kSlack = 1e-12;  // of the diameter
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scaled {
  Hull hull;         // the vertices divided by 2^exponent, without repetitions
  int exponent = 0;  // chosen so that the largest entry is between 1/2 and 1
};

Scaled to_unit_range(std::size_t dimension, std::span<const double> vertices) {
  Scaled result;
  result.hull.dimension = dimension;
  result.exponent = std::ilogb(largest_magnitude(vertices)) + 1;
  std::set<std::vector<double>> seen;
  for (std::size_t begin = 0; begin < vertices.size(); begin += dimension) {
    std::vector<double> vertex(dimension);
    // + 0.0 makes one zero of the two.
    for (std::size_t i = 0; i < dimension; ++i) {
      vertex[i] = std::scalbn(vertices[begin + i], -result.exponent) + 0.0;
    }
    if (!seen.insert(vertex).second) continue;
    result.hull.entries.insert(result.hull.entries.end(), vertex.begin(), vertex.end());
  }
  return result;
}

double longest_vertex(const Hull& hull) {
  double longest = 0.0;
  for (std::size_t j = 0; j < hull.count(); ++j) longest = std::max(longest, norm_in_units(hull.vertex(j), 1.0));
  return longest;
}

class Polytope final : public ConstraintSet, public VertexSet {
 public:
  explicit Polytope(Scaled scaled) : hull_(std::move(scaled.hull)), exponent_(scaled.exponent) {
    radius_ = longest_vertex(hull_);
    low_.assign(hull_.dimension, kInfinity);
    high_.assign(hull_.dimension, -kInfinity);
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      for (std::size_t i = 0; i < hull_.dimension; ++i) {
        low_[i] = std::min(low_[i], hull_.vertex(j)[i]);
        high_[i] = std::max(high_[i], hull_.vertex(j)[i]);
      }
    }
  }

  [[nodiscard]] std::size_t dimension() const override { return hull_.dimension; }

  // In place, not the file the vertices came from: a stored model must not depend on a file.
  [[nodiscard]] std::string name() const override {
    std::string text = "polytope:[";
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      text += j == 0 ? "[" : ",[";
      for (std::size_t i = 0; i < hull_.dimension; ++i) text += (i == 0 ? "" : ",") + shown(entry(j, i));
      text += "]";
    }
    return text + "]";
  }

  // Error: that of nearest_point(), in diameters; up to 1e-12 diameters for points that are this near, which stay where
  // they are. Points beyond 1e150 diameters are first brought in along their ray, which changes nothing but ties.
  void project(std::span<double> point) const override {
    require_finite(point);
    const NearestPoint nearest = nearest_point(hull_, in_hull_units(point, exponent_));
    if (nearest.distance <= kSlack * radius_) return;
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = std::scalbn(nearest.point[i], exponent_);
    shrink_inside(*this, point);
  }

  // A vertex, the first of equals.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    const double largest = largest_magnitude(direction);
    std::vector<double> slope(direction.begin(), direction.end());
    if (largest > 0.0 && std::isfinite(largest)) {
      for (double& value : slope) value = std::scalbn(value, -std::ilogb(largest));
    }
    std::size_t best = 0;
    double least = kInfinity;
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      const auto vertex = hull_.vertex(j);
      double product = 0.0;
      for (std::size_t i = 0; i < vertex.size(); ++i) product += slope[i] * vertex[i];
      if (product < least) {
        least = product;
        best = j;
      }
    }
    for (std::size_t i = 0; i < minimiser.size(); ++i) minimiser[i] = entry(best, i);
  }

  // min of sum(l) over l >= 0 with V^T l = point: where the ray through the point leaves the hull, found from outside.
  // The distance of a point of the ray from the hull is convex and in the end linear along it, so Newton's method ends
  // at the exact place after finitely many steps. Error: what moving the point by 1e-12 diameters does, where the ray
  // meets the boundary at a fair angle a few units of rounding. A ray that leaves within 1e-12 diameters of the origin
  // has gauge +infinity.
  [[nodiscard]] double gauge(std::span<const double> point) const override {
    const double largest = largest_magnitude(point);
    if (!(largest > 0.0) || std::isinf(largest)) return largest;
    const int exponent = std::ilogb(largest);
    const std::vector<double> ray = in_hull_units(point, exponent);  // largest entry between 1 and 2
    const double place = last_inside(ray);
    const double found = place > 0.0 ? std::scalbn(1.0 / place, exponent - exponent_) : kInfinity;
    // Membership is decided by distance; the gauge is rounded to the side it says.
    return contains(point, 0.0) ? std::min(found, 1.0) : std::max(found, std::nextafter(1.0, 2.0));
  }

  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    std::vector<double> inner(point.size());
    const double slack = kSlack * radius_;
    for (std::size_t i = 0; i < point.size(); ++i) {
      inner[i] = std::scalbn(point[i] / (1.0 + tolerance), -exponent_);
      if (!(inner[i] >= low_[i] - slack && inner[i] <= high_[i] + slack)) return false;  // also where it is NaN
    }
    return nearest_point(hull_, inner).distance <= slack;
  }

  [[nodiscard]] double diameter() const override { return std::scalbn(radius_, exponent_); }
  [[nodiscard]] std::vector<double> vertices() const override {
    std::vector<double> rows = hull_.entries;
    for (double& value : rows) value = std::scalbn(value, exponent_);
    return rows;
  }
  [[nodiscard]] double gaussian_width() const override {
    return std::scalbn(unit_width_.get([this] { return hull_width(hull_); }), exponent_);
  }

  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    static_cast<void>(scaled_radius(diameter(), factor));
    // A power of two leaves the hull as it is.
    if (const int power = std::ilogb(factor); std::scalbn(1.0, power) == factor) {
      auto same = std::make_unique<Polytope>(Scaled{hull_, exponent_ + power});
      same->unit_width_ = unit_width_;
      return same;
    }
    std::vector<double> vertices;
    vertices.reserve(hull_.entries.size());
    for (const double value : hull_.entries) vertices.push_back(value * factor);
    Scaled product = to_unit_range(hull_.dimension, vertices);
    product.exponent += exponent_;
    return std::make_unique<Polytope>(std::move(product));
  }

  // n vertices in a ball of radius R give a width of at most R sqrt(2 ln n): decided by that, because the width itself
  // takes long to compute.
  [[nodiscard]] bool prefers_width() const override {
    const double bound = std::sqrt(2.0 * std::log(static_cast<double>(hull_.count())));
    return far_below_l2_ball(bound, hull_.dimension, 1.0);
  }

 private:
  [[nodiscard]] double entry(std::size_t vertex, std::size_t i) const {
    return std::scalbn(hull_.vertex(vertex)[i], exponent_);
  }

  // point / 2^exponent, brought nearer where that is beyond 2^500.
  [[nodiscard]] static std::vector<double> in_hull_units(std::span<const double> point, int exponent) {
    const double largest = largest_magnitude(point);
    const int excess = largest > 0.0 ? std::max(0, std::ilogb(largest) - exponent - 500) : 0;
    std::vector<double> result(point.begin(), point.end());
    for (double& value : result) value = std::scalbn(value, -exponent - excess);
    return result;
  }

  // The largest t with t * ray in the hull, 0 when that is within the slack.
  [[nodiscard]] double last_inside(std::span<const double> ray) const {
    const double length = norm_in_units(ray, 1.0);
    double t = 2.0 * radius_ / length;
    std::vector<double> place(ray.size());
    for (int step = 0; step < 1000; ++step) {
      for (std::size_t i = 0; i < ray.size(); ++i) place[i] = t * ray[i];
      const NearestPoint nearest = nearest_point(hull_, place);
      if (nearest.distance <= kSlack * radius_) return t;
      double slope = 0.0;  // of the distance, times the distance
      for (std::size_t i = 0; i < ray.size(); ++i) slope += nearest.residual[i] * ray[i];
      const double next = t - nearest.distance * nearest.distance / slope;
      if (!(next * length > kSlack * radius_)) return 0.0;
      if (!(next < t)) return t;
      t = next;
    }
    return t;
  }

  Hull hull_;
  int exponent_;
  double radius_ = 0.0;  // of the hull
  std::vector<double> low_;
  std::vector<double> high_;
  CachedWidth unit_width_;
};

}  // namespace

std::string polytope_fault(std::size_t dimension, std::span<const double> vertices) {
  const std::size_t count = vertices.size() / dimension;
  if (count < 2)
    return "has " + std::to_string(count) + (count == 1 ? " vertex" : " vertices") + ", where 2 are the least";
  if (vertices.size() > kMostPolytopeNumbers) {
    return "has " + std::to_string(vertices.size()) + " numbers, where " + std::to_string(kMostPolytopeNumbers) +
           " are the most";
  }
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    if (!std::isfinite(vertices[k])) {
      return "has the number " + shown(vertices[k]) + " in vertex " + std::to_string(k / dimension + 1);
    }
  }
  if (largest_magnitude(vertices) == 0.0) return "is the origin alone";
  const Scaled scaled = to_unit_range(dimension, vertices);
  const double radius = longest_vertex(scaled.hull);
  if (!std::isfinite(std::scalbn(radius, scaled.exponent))) return "has a diameter beyond the range of a double";
  const double distance = nearest_point(scaled.hull, std::vector<double>(dimension, 0.0)).distance;
  if (distance <= kSlack * radius) return "";
  return "does not hold the origin, which is " + shown(std::scalbn(distance, scaled.exponent)) + " away from it";
}

}  // namespace geometry

std::unique_ptr<ConstraintSet> make_polytope(std::size_t dimension, std::span<const double> vertices) {
  if (dimension == 0) throw RequestError("dimension", "0 given; accepted: 1 or more");
  const std::string accepted = "; accepted: 2 vertices or more around the origin, " + std::to_string(dimension) +
                               " finite numbers each, a million numbers in all at most";
  if (vertices.size() % dimension != 0) {
    throw RequestError("vertices",
                       std::to_string(vertices.size()) + " numbers are no whole number of vertices" + accepted);
  }
  const std::string fault = geometry::polytope_fault(dimension, vertices);
  if (!fault.empty()) throw RequestError("vertices", "the polytope " + fault + accepted);
  return std::make_unique<geometry::Polytope>(geometry::to_unit_range(dimension, vertices));
}

}  // namespace rivulet
