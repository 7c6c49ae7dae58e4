// {v : ||v||_p <= R}, 1 < p < 2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/portable_math.h"
#include "base/shown.h"
#include "geometry/ball.h"
#include "geometry/cached_width.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "geometry/lp_projection.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

class LpBall final : public ConstraintSet, public geometry::Faces {
 public:
  LpBall(std::size_t dimension, double p, double radius) : dimension_(dimension), p_(p), radius_(radius) {
    geometry::require_ball(dimension, radius);
    if (!(p > 1.0 && p < 2.0)) {
      throw RequestError("p",
                         shown(p) + " given; accepted: a number above 1 and below 2 (l1 and l2 are sets of their own)");
    }
  }
  LpBall(const LpBall& other, double radius) : LpBall(other.dimension_, other.p_, radius) {
    unit_width_ = other.unit_width_;
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::set_name("lp", {p_, radius_}); }

  // Error: see geometry/lp_projection.h.
  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    // In units of the largest entry, with the boundary put back at R in the end. Beyond 1e40 radii the direction of the
    // answer no longer changes.
    const double largest = geometry::largest_magnitude(point);
    std::vector<double> magnitudes(point.size());
    for (std::size_t i = 0; i < point.size(); ++i) magnitudes[i] = std::abs(point[i]) / largest;
    geometry::nearest_in_lp_ball(magnitudes, p_, std::max(radius_ / largest, 1e-40));
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = std::copysign(radius_ * magnitudes[i], point[i]);
    geometry::shrink_inside(*this, point);
  }

  // v_i = -R sign(c_i) (|c_i| / ||c||_q)^(q-1), q = p / (p-1), where Hoelder's inequality is tight. The origin for a
  // zero direction.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    const double largest = geometry::largest_magnitude(direction);
    std::fill(minimiser.begin(), minimiser.end(), 0.0);
    if (!(largest > 0.0)) return;
    double sum = 0.0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const double log_share = portable_log(std::abs(direction[i]) / largest) / (p_ - 1.0);
      minimiser[i] = portable_exp(log_share);
      sum += portable_exp(p_ * log_share);
    }
    const double norm = portable_exp(portable_log(sum) / p_);
    for (std::size_t i = 0; i < direction.size(); ++i) {
      minimiser[i] = std::copysign(minimiser[i] / norm * radius_, -direction[i]);
    }
    geometry::shrink_inside(*this, minimiser);
  }

  // Relative error below 10 + d units of rounding.
  [[nodiscard]] double gauge(std::span<const double> point) const override {
    const double largest = geometry::largest_magnitude(point);
    if (!(largest > 0.0) || std::isinf(largest)) return largest;
    double sum = 0.0;
    for (const double entry : point) {
      sum += portable_exp(p_ * portable_log(std::abs(entry) / largest));
    }
    return portable_exp(portable_log(sum) / p_) * (largest / radius_);
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override { return radius_; }
  // The support function is R times the dual norm.
  [[nodiscard]] double gaussian_width() const override {
    return radius_ * unit_width_.get([this] { return geometry::expected_norm(dimension_, p_ / (p_ - 1.0)); });
  }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<LpBall>(*this, geometry::scaled_radius(radius_, factor));
  }
  [[nodiscard]] bool prefers_width() const override {
    return geometry::far_below_l2_ball(gaussian_width(), dimension_, radius_);
  }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<LpBall>(coordinates.size(), p_, radius_);
  }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> /*direction*/,
                                                        std::size_t /*count*/) const override {
    return {};
  }
  // x - v = m w with the normal w_i = sign(v_i) |v_i|^(p-1), in units of R; the curvature along coordinate i is
  // (p - 1) |v_i|^(p-2), infinite where v_i is zero.
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    if (contains(point, 0.0)) return geometry::ProjectionDerivative::identity(dimension_);
    std::vector<std::size_t> active;
    std::vector<double> normal;
    double along = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < projection.size(); ++i) {
      if (projection[i] == 0.0) continue;
      const double power = portable_exp((p_ - 1.0) * portable_log(std::abs(projection[i]) / radius_));
      active.push_back(i);
      normal.push_back(std::copysign(power, projection[i]));
      along += normal.back() * ((point[i] - projection[i]) / radius_);
      squares += power * power;
    }
    const double multiplier = std::max(0.0, along / squares);
    std::vector<double> weight(active.size());
    for (std::size_t k = 0; k < active.size(); ++k) {
      const double entry = std::abs(projection[active[k]]) / radius_;
      weight[k] = entry / (entry + multiplier * (p_ - 1.0) * std::abs(normal[k]));
    }
    return geometry::surface_derivative(std::move(active), std::move(weight), std::move(normal));
  }

 private:
  std::size_t dimension_;
  double p_;
  double radius_;
  geometry::CachedWidth unit_width_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_lp_ball(std::size_t dimension, double p, double radius) {
  return std::make_unique<LpBall>(dimension, p, radius);
}

}  // namespace rivulet
