// {v : ||v||_1 <= R}.
#include <algorithm>
#include <cmath>

#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "geometry/threshold.h"
#include "rivulet/constraint.h"

namespace rivulet {
namespace {

class L1Ball final : public ConstraintSet, public geometry::Faces {
 public:
  L1Ball(std::size_t dimension, double radius) : dimension_(dimension), radius_(radius) {
    geometry::require_ball(dimension, radius);
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::ball_name("l1", radius_); }

  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    const double largest = geometry::largest_magnitude(point);
    const double threshold = geometry::soft_threshold(
        point.size(), [&](std::size_t i) { return std::abs(point[i]) - largest; }, radius_);
    for (double& entry : point) {
      entry = std::copysign(std::max(std::abs(entry) - largest - threshold, 0.0), entry);
    }
    geometry::shrink_inside(*this, point);
  }

  // A vertex: the whole radius on the coordinate where the direction is largest (the first of equals), so that
  // conditional gradient steps stay sparse. The origin for a zero direction.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < direction.size(); ++i) {
      if (std::abs(direction[i]) > std::abs(direction[best])) best = i;
    }
    const double slope = direction[best];
    std::fill(minimiser.begin(), minimiser.end(), 0.0);
    if (slope != 0.0) minimiser[best] = slope > 0.0 ? -radius_ : radius_;
  }

  [[nodiscard]] double gauge(std::span<const double> point) const override {
    return geometry::sum_in_units(point, radius_);
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override { return radius_; }
  [[nodiscard]] double gaussian_width() const override { return radius_ * geometry::l1_ball_width(dimension_); }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<L1Ball>(dimension_, geometry::scaled_radius(radius_, factor));
  }
  [[nodiscard]] bool prefers_width() const override { return true; }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<L1Ball>(coordinates.size(), radius_);
  }
  [[nodiscard]] bool spanned_by_axes() const override { return true; }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> direction,
                                                        std::size_t count) const override {
    return geometry::largest_magnitudes(direction, count);
  }
  // The entries that survive the threshold move together: their absolute values keep their sum.
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    if (contains(point, 0.0)) return geometry::ProjectionDerivative::identity(dimension_);
    std::vector<std::size_t> active;
    std::vector<double> normal;
    for (std::size_t i = 0; i < projection.size(); ++i) {
      if (projection[i] == 0.0) continue;
      active.push_back(i);
      normal.push_back(projection[i] > 0.0 ? 1.0 : -1.0);
    }
    std::vector<double> weight(active.size(), 1.0);
    return geometry::surface_derivative(std::move(active), std::move(weight), std::move(normal));
  }

 private:
  std::size_t dimension_;
  double radius_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_l1_ball(std::size_t dimension, double radius) {
  return std::make_unique<L1Ball>(dimension, radius);
}

}  // namespace rivulet
