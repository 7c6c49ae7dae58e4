// {v : ||v||_2 <= R}.
#include <algorithm>
#include <cmath>

#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "rivulet/constraint.h"

namespace rivulet {
namespace {

double sum_of_squares(std::span<const double> point) {
  double sum = 0.0;
  for (const double entry : point) sum += entry * entry;
  return sum;
}

class L2Ball final : public ConstraintSet, public geometry::Faces {
 public:
  L2Ball(std::size_t dimension, double radius) : dimension_(dimension), radius_(radius) {
    geometry::require_ball(dimension, radius);
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::ball_name("l2", radius_); }

  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    scale_to_sphere(point, 1.0);
  }

  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    std::copy(direction.begin(), direction.end(), minimiser.begin());
    // Every point minimises a zero objective; the origin is one.
    if (geometry::largest_magnitude(minimiser) > 0.0) scale_to_sphere(minimiser, -1.0);
  }

  [[nodiscard]] double gauge(std::span<const double> point) const override {
    return geometry::norm_in_units(point, radius_);
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override { return radius_; }
  [[nodiscard]] double gaussian_width() const override { return radius_ * geometry::l2_ball_width(dimension_); }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<L2Ball>(dimension_, geometry::scaled_radius(radius_, factor));
  }
  [[nodiscard]] bool prefers_width() const override { return false; }
  [[nodiscard]] std::optional<double> euclidean_radius() const override { return radius_; }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<L2Ball>(coordinates.size(), radius_);
  }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> /*direction*/,
                                                        std::size_t /*count*/) const override {
    return {};
  }
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    geometry::ProjectionDerivative sphere = geometry::ProjectionDerivative::identity(dimension_);
    if (contains(point, 0.0)) return sphere;
    const double shrinkage = 1.0 / gauge(point);
    return geometry::surface_derivative(std::move(sphere.active), std::vector<double>(dimension_, shrinkage),
                                        std::vector<double>(projection.begin(), projection.end()));
  }

 private:
  // Dividing by the largest entry first keeps every intermediate value in range.
  void scale_to_sphere(std::span<double> point, double sign) const {
    const double largest = geometry::largest_magnitude(point);
    for (double& entry : point) entry /= largest;
    const double norm = std::sqrt(sum_of_squares(point));
    for (double& entry : point) entry = sign * (entry / norm) * radius_;
    geometry::shrink_inside(*this, point);
  }

  std::size_t dimension_;
  double radius_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_l2_ball(std::size_t dimension, double radius) {
  return std::make_unique<L2Ball>(dimension, radius);
}

}  // namespace rivulet
