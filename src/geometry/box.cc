// {v : LO <= v_i <= HI for every i}.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/shown.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
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
