// The elastic net {v : A ||v||_1 / R + (1 - A) ||v||_2^2 / R^2 <= 1}, 0 < A < 1.
//
// Zou and Hastie's constraint A ||v||_1 + (1 - A) ||v||_2^2 <= t, in units of R so that multiples of the set are sets
// of the same family with the same A, whatever the units of the coefficients: every {a ||v||_1 + b ||v||_2^2 <= c} is
// one of these. It contains the L1 ball of radius R and lies in the L2 ball of radius R; they touch at the points +-R
// e_i.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number_text.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

class ElasticBall final : public ConstraintSet, public geometry::Faces {
 public:
  ElasticBall(std::size_t dimension, double l1_share, double radius)
      : dimension_(dimension), l1_share_(l1_share), radius_(radius) {
    geometry::require_ball(dimension, radius);
    if (!(l1_share > 0.0 && l1_share < 1.0)) {
      throw RequestError("l1_share", shown(l1_share) +
                                         " given; accepted: a number above 0 and below 1 "
                                         "(l1 and l2 are sets of their own)");
    }
  }
  ElasticBall(const ElasticBall& other, double radius) : ElasticBall(other.dimension_, other.l1_share_, radius) {
    unit_width_ = other.unit_width_;
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::set_name("elastic", {l1_share_, radius_}); }

  // Stationarity with multiplier m: v_i = (|x_i| - m A)+ / (1 + 2 m (1 - A)), in units of R: a soft threshold, then a
  // shrinkage. Error: a few units of rounding of R + |x| / (1 + (1 - A) |x| / R) an entry.
  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    to_boundary(point, radius_ / geometry::largest_magnitude(point), 1.0);
  }

  // What the projection of a point tends to as the point recedes along -direction. The origin for a zero direction.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    std::copy(direction.begin(), direction.end(), minimiser.begin());
    if (geometry::largest_magnitude(minimiser) > 0.0) to_boundary(minimiser, 0.0, -1.0);
  }

  // The positive root r of r^2 - A ||v||_1 r - (1 - A) ||v||_2^2 = 0, in units of R.
  [[nodiscard]] double gauge(std::span<const double> point) const override {
    return root(geometry::sum_in_units(point, radius_), geometry::norm_in_units(point, radius_));
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override { return radius_; }
  [[nodiscard]] double gaussian_width() const override {
    return radius_ * unit_width_.get([this] { return geometry::elastic_ball_width(dimension_, l1_share_); });
  }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<ElasticBall>(*this, geometry::scaled_radius(radius_, factor));
  }
  [[nodiscard]] bool prefers_width() const override {
    return geometry::far_below_l2_ball(gaussian_width(), dimension_, radius_);
  }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<ElasticBall>(coordinates.size(), l1_share_, radius_);
  }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> direction,
                                                        std::size_t count) const override {
    constexpr double all_but_round = 0.1;
    if (l1_share_ < all_but_round) return {};
    return geometry::largest_magnitudes(direction, count);
  }
  // x - v = m w with the normal w_i = A sign(v_i) + 2 (1 - A) v_i where v_i is not zero, in units of R; the curvature
  // is 2 (1 - A) in all these directions.
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    if (contains(point, 0.0)) return geometry::ProjectionDerivative::identity(dimension_);
    std::vector<std::size_t> active;
    std::vector<double> normal;
    double along = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < projection.size(); ++i) {
      if (projection[i] == 0.0) continue;
      active.push_back(i);
      normal.push_back(std::copysign(l1_share_, projection[i]) + 2.0 * (1.0 - l1_share_) * (projection[i] / radius_));
      along += normal.back() * ((point[i] - projection[i]) / radius_);
      squares += normal.back() * normal.back();
    }
    const double multiplier = std::max(0.0, along / squares);
    std::vector<double> weight(active.size(), 1.0 / (1.0 + 2.0 * (1.0 - l1_share_) * multiplier));
    return geometry::surface_derivative(std::move(active), std::move(weight), std::move(normal));
  }

 private:
  [[nodiscard]] double root(double l1_norm, double l2_norm) const {
    if (l1_norm == 0.0 || !std::isfinite(l1_norm)) return l1_norm;
    const double ratio = l2_norm / l1_norm;  // at most 1, at least 1 / sqrt(d)
    const double half = 0.5 * l1_share_;
    return l1_norm * (half + std::sqrt(half * half + (1.0 - l1_share_) * ratio * ratio));
  }

  // Soft threshold, then scaled to the boundary. In units of the largest entry, b_i = |x_i| / largest, and with
  // t = 1 - (threshold), the numerators are n_i = (t + (b_i - 1))+: from differences of entries, exact where those
  // dwarf R. The solution has gauge(n) = rho + 2 (1 - A) (1 - t) / A, rho = R / largest; with A multiplied out the
  // difference of the two sides is convex and increasing in t, so Newton's method from the right never passes the root.
  void to_boundary(std::span<double> point, double rho, double sign) const {
    const double a = l1_share_;
    const double b = 1.0 - l1_share_;
    const double largest = geometry::largest_magnitude(point);
    std::vector<double> offsets(point.size());
    for (std::size_t i = 0; i < point.size(); ++i) offsets[i] = (std::abs(point[i]) - largest) / largest;

    double t = std::min(1.0, (a * rho + 2.0 * b) / (a + 2.0 * b));  // here the largest entry alone reaches the boundary
    for (int pass = 0; pass < 200; ++pass) {
      double sum = 0.0;
      double squares = 0.0;
      double count = 0.0;
      for (const double offset : offsets) {
        const double numerator = t + offset;
        if (!(numerator > 0.0)) continue;
        sum += numerator;
        squares += numerator * numerator;
        count += 1.0;
      }
      const double half = 0.5 * a * sum;
      const double wing = std::sqrt(half * half + b * squares);
      const double value = a * (half + wing) - (a * rho + 2.0 * b * (1.0 - t));
      const double slope = a * (0.5 * a * count + (0.5 * a * count * half + b * sum) / wing) + 2.0 * b;
      const double next = std::min(1.0, t - value / slope);
      // The first step may go either way, the start being rounded.
      if (!(next > 0.0) || next == t || (pass > 0 && next > t)) break;
      t = next;
    }

    double sum = 0.0;
    double squares = 0.0;
    for (double& offset : offsets) {
      offset = std::max(t + offset, 0.0) / t;
      sum += offset;
      squares += offset * offset;
    }
    const double gauge = root(sum, std::sqrt(squares));
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] = std::copysign(offsets[i] / gauge * radius_, sign * point[i]);
    }
    geometry::shrink_inside(*this, point);
  }

  std::size_t dimension_;
  double l1_share_;
  double radius_;
  geometry::CachedWidth unit_width_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_elastic_ball(std::size_t dimension, double l1_share, double radius) {
  return std::make_unique<ElasticBall>(dimension, l1_share, radius);
}

}  // namespace rivulet
