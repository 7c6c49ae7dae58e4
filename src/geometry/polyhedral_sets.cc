// The sets cut out by linear inequalities: L1 ball, simplex, box.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/number_text.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "geometry/threshold.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {

// {v : ||v||_1 <= R}.

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

// {v : v >= 0, sum of v = R}.

namespace {

constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();

// Neumaier's compensated sum: error at most one unit of rounding of the result (entries of one sign), whatever the
// number of entries.
double careful_sum(std::span<const double> entries) {
  double sum = 0.0;
  double lost = 0.0;
  for (const double entry : entries) {
    const double next = sum + entry;
    lost += std::abs(sum) >= std::abs(entry) ? (sum - next) + entry : (entry - next) + sum;
    sum = next;
  }
  return sum + lost;
}

class Simplex final : public ConstraintSet, public geometry::Faces {
 public:
  Simplex(std::size_t dimension, double total) : dimension_(dimension), total_(total) {
    geometry::require_ball(dimension, total);
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::ball_name("simplex", total_); }

  // Error at most a few units of rounding of R an entry, for points of any magnitude.
  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    const double largest = *std::max_element(point.begin(), point.end());
    const double threshold = geometry::soft_threshold(
        point.size(), [&](std::size_t i) { return point[i] - largest; }, total_);
    for (double& entry : point) entry = std::max(entry - largest - threshold, 0.0);
    settle(point);
  }

  // A vertex: the whole total where the direction is smallest (the first of equals).
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    const auto best = std::min_element(direction.begin(), direction.end()) - direction.begin();
    std::fill(minimiser.begin(), minimiser.end(), 0.0);
    minimiser[static_cast<std::size_t>(best)] = total_;
  }

  // The only r with point in r*K.
  [[nodiscard]] double gauge(std::span<const double> point) const override {
    bool negative = false;
    for (const double entry : point) {
      if (std::isnan(entry)) return entry;
      negative = negative || entry < 0.0;
    }
    if (negative) return std::numeric_limits<double>::infinity();
    const double sum = careful_sum(point);
    return std::isfinite(sum) ? sum / total_ : geometry::sum_in_units(point, total_);
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return std::abs(gauge(point) - 1.0) <= tolerance + kRounding;
  }
  [[nodiscard]] double diameter() const override { return total_; }
  [[nodiscard]] double gaussian_width() const override { return total_ * geometry::simplex_width(dimension_); }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<Simplex>(dimension_, geometry::scaled_radius(total_, factor));
  }
  [[nodiscard]] bool prefers_width() const override { return true; }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<Simplex>(coordinates.size(), total_);
  }
  [[nodiscard]] bool spanned_by_axes() const override { return true; }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> direction,
                                                        std::size_t count) const override {
    std::vector<double> scores(direction.begin(), direction.end());
    for (double& score : scores) score = -score;
    return geometry::largest_scores(scores, count);
  }
  // The entries that survive the threshold keep their sum.
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> /*point*/, std::span<const double> projection) const override {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < projection.size(); ++i) {
      if (projection[i] > 0.0) active.push_back(i);
    }
    std::vector<double> ones(active.size(), 1.0);
    return geometry::surface_derivative(std::move(active), ones, ones);
  }

 private:
  // Gives what rounding has left over to the largest entry, which is at least R/d and hardly notices. What is missing
  // is taken there too, and from further entries only near the end of the floating-point range.
  void settle(std::span<double> point) const {
    while (!contains(point, 0.0)) {
      double& largest = *std::max_element(point.begin(), point.end());
      largest = std::max(0.0, largest + (total_ - careful_sum(point)));
    }
  }

  std::size_t dimension_;
  double total_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_simplex(std::size_t dimension, double total) {
  return std::make_unique<Simplex>(dimension, total);
}

// {v : LO <= v_i <= HI for every i}.

namespace {

class Box final : public ConstraintSet, public geometry::Faces {
 public:
  Box(std::size_t dimension, double low, double high) : dimension_(dimension), low_(low), high_(high) {
    if (dimension == 0) throw RequestError("dimension", "0 given; accepted: 1 or more");
    const bool around_the_origin = low <= 0.0 && high >= 0.0 && low < high;
    if (!around_the_origin || !std::isfinite(diameter())) {
      throw RequestError("box", shown(low) + " to " + shown(high) +
                                    " given; accepted: finite LO <= 0 <= HI, not both 0, with a finite diameter");
    }
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override { return geometry::set_name("box", {low_, high_}); }

  // Exact.
  void project(std::span<double> point) const override {
    geometry::require_finite(point);
    for (double& entry : point) entry = std::clamp(entry, low_, high_);
  }

  // A corner, but 0 where the direction is: a step that goes nowhere stays sparse.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    for (std::size_t i = 0; i < direction.size(); ++i) {
      minimiser[i] = direction[i] > 0.0 ? low_ : direction[i] < 0.0 ? high_ : 0.0;
    }
  }

  // A quotient rounds to 1 or less exactly when the entry is within its bound, so that contains() is exact too.
  [[nodiscard]] double gauge(std::span<const double> point) const override {
    double largest = 0.0;
    for (const double entry : point) {
      if (std::isnan(entry)) return entry;
      const double bound = entry > 0.0 ? high_ : -low_;
      if (entry != 0.0) largest = std::max(largest, std::abs(entry) / std::abs(bound));  // infinite at a bound of 0
    }
    return largest;
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override {
    return std::max(-low_, high_) * std::sqrt(static_cast<double>(dimension_));
  }
  // E max(LO g, HI g) = (HI - LO) / sqrt(2 pi) in each coordinate.
  [[nodiscard]] double gaussian_width() const override {
    return static_cast<double>(dimension_) * ((high_ - low_) / std::sqrt(2.0 * std::numbers::pi));
  }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    const auto bound = [factor](double value) {
      return value == 0.0 ? 0.0 : std::copysign(geometry::scaled_radius(std::abs(value), factor), value);
    };
    return std::make_unique<Box>(dimension_, bound(low_), bound(high_));
  }
  [[nodiscard]] bool prefers_width() const override { return false; }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    return std::make_unique<Box>(coordinates.size(), low_, high_);
  }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> /*direction*/,
                                                        std::size_t /*count*/) const override {
    return {};
  }
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    geometry::ProjectionDerivative result;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (point[i] == projection[i]) result.active.push_back(i);
    }
    result.weight.assign(result.active.size(), 1.0);
    return result;
  }

 private:
  std::size_t dimension_;
  double low_;
  double high_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_box(std::size_t dimension, double low, double high) {
  return std::make_unique<Box>(dimension, low, high);
}

}  // namespace rivulet
