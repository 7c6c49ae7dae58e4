// {v : v >= 0, sum of v = R}.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "geometry/threshold.h"
#include "rivulet/constraint.h"

namespace rivulet {
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

}  // namespace rivulet
