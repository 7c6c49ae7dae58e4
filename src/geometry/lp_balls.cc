// The L2 ball and the L_p balls, 1 < p < 2.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/number_text.h"
#include "base/portable_math.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {

// {v : ||v||_2 <= R}.

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

namespace rivulet::geometry {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Enough for a bisection of the whole range; Newton's steps need 15 or fewer.
constexpr int kMostPasses = 200;

// log u and its derivative with respect to log lambda.
struct Entry {
  double log_u;
  double slope;
};

class Equations {
 public:
  Equations(std::span<const double> magnitudes, double p, double rho) : p_(p), log_target_(p * portable_log(rho)) {
    log_b_.reserve(magnitudes.size());
    for (const double magnitude : magnitudes) log_b_.push_back(portable_log(magnitude));  // log 0 = -infinity stays so
    log_u_ = log_b_;
  }

  // A multiplier not below the right one: the one for which u = (b / lambda)^(1/(p-1)), each entry's own upper bound,
  // would have the norm rho.
  [[nodiscard]] double largest_multiplier() const {
    const double q = p_ / (p_ - 1.0);
    double sum = 0.0;
    for (const double log_b : log_b_) sum += portable_exp(q * log_b);
    return portable_exp((portable_log(sum) - log_target_) / q);
  }

  // log(||u(lambda)||_p^p / rho^p), decreasing in lambda; its derivative with respect to log lambda goes to `slope`.
  double excess(double multiplier, double& slope) {
    const double log_multiplier = portable_log(multiplier);
    double sum = 0.0;
    double change = 0.0;
    for (std::size_t i = 0; i < log_b_.size(); ++i) {
      if (std::isinf(log_b_[i])) continue;
      const Entry entry = solve_entry(log_b_[i], log_multiplier, log_u_[i]);
      log_u_[i] = entry.log_u;
      const double power = portable_exp(p_ * entry.log_u);
      sum += power;
      change += power * entry.slope;
    }
    slope = p_ * change / sum;
    return portable_log(sum) - log_target_;
  }

  // u / ||u||_p for the multiplier last asked about.
  void write(std::span<double> out) const {
    double sum = 0.0;
    for (const double log_u : log_u_) sum += portable_exp(p_ * log_u);
    const double norm = portable_exp(portable_log(sum) / p_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = portable_exp(log_u_[i]) / norm;
  }

 private:
  // log(e^s + lambda e^((p-1) s)) = log b for s = log u, from the start given. Each term alone bounds s from above.
  [[nodiscard]] Entry solve_entry(double log_b, double log_multiplier, double start) const {
    const double r = p_ - 1.0;
    const double bound = std::min(log_b, (log_b - log_multiplier) / r);
    double s = std::min(start, bound);
    double last_step = std::numeric_limits<double>::infinity();
    for (int pass = 0;; ++pass) {
      const double linear = portable_exp(s - log_b);
      const double root = portable_exp(log_multiplier + r * s - log_b);
      const double denominator = linear + r * root;
      // A start far to the left may lose both terms; the bound never does.
      const double step = denominator > 0.0 ? (linear + root) * portable_log(linear + root) / denominator : 0.0;
      const double next = denominator > 0.0 ? std::min(s - step, bound) : bound;
      const bool settled = std::abs(s - next) <= kEpsilon * (1.0 + std::abs(s)) ||
                           (pass > 3 && std::abs(step) >= last_step) || pass == kMostPasses;
      if (settled && denominator > 0.0) return {s, -root / denominator};
      last_step = std::abs(step);
      s = next;
    }
  }

  double p_;
  double log_target_;
  std::vector<double> log_b_;
  std::vector<double> log_u_;
};

// The nearest point of an L_p ball, 1 < p < 2, from one side: magnitudes only.
//
// Minimises ||u - b||_2 over ||u||_p <= rho, u >= 0, for magnitudes 0 <= b_i <= 1 with ||b||_p > rho and rho >= 1e-40.
// Writes u / ||u||_p over b.
//
// Stationarity is a scalar equation an entry, u + lambda u^(p-1) = b, and one for the multiplier, ||u(lambda)||_p =
// rho. Both are solved by Newton's method: the entries in log u, where the equation is convex with slope between p - 1
// and 1 and one-sided steps never pass the root; the multiplier with a bracket that catches a step that would.
//
// Error: the result is the exact solution for magnitudes that differ from the given ones by a factor of 1 + e, |e|
// below some 10 units of rounding times (1 + |log b_i|). To the result that does at most e / rho, and at most e / (p -
// 1) relative to each entry: digits are lost only where p is close to 1 and the point far away, as the problem demands.
// Time: 5 to 15 passes over the entries with a few exponentials each.
void nearest_in_lp_ball(std::span<double> magnitudes, double p, double rho) {
  Equations equations(magnitudes, p, rho);
  double low = 0.0;
  double high = equations.largest_multiplier();
  double multiplier = high;
  const double steepest = p / (p - 1.0);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double slope = 0.0;
    const double excess = equations.excess(multiplier, slope);
    (excess > 0.0 ? low : high) = multiplier;
    // Where the constraint hardly binds the excess is linear in the multiplier, far away in its logarithm.
    const double step = -excess / slope;
    double next = -slope > 0.5 * steepest ? multiplier * portable_exp(step) : multiplier * (1.0 + step);
    // Below this the multiplier moves nothing.
    if (high < 1e-20 || std::abs(step) <= 2.0 * kEpsilon || high - low <= 2.0 * kEpsilon * high) break;
    if (!(next > low && next < high)) next = low > 0.0 ? 0.5 * (low + high) : 0.1 * high;
    multiplier = next;
  }
  equations.write(magnitudes);
}

}  // namespace

}  // namespace rivulet::geometry

namespace rivulet {

// {v : ||v||_p <= R}, 1 < p < 2.

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

  // Error: see nearest_in_lp_ball().
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
