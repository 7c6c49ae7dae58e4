// Phi K as a set of m dimensions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geometry/faces.h"
#include "rivulet/error.h"
#include "solve/image_lift.h"
#include "solve/image_problem.h"
#include "solve/image_solver.h"
#include "solve/vector_math.h"

namespace rivulet::solve {
namespace {

// Of the diameter: membership is decided up to this.
constexpr double kSlack = 1e-9;

// An upper bound on the largest singular value of Phi, within a few percent as a rule: power iterations on Phi Phi^T,
// whose trace bounds what they might have missed.
double spectral_bound(const LinearMap& map) {
  const std::size_t m = map.rows();
  std::vector<double> v(m, 0.0);
  std::vector<double> back(map.columns());
  for (std::size_t i = 0; i < m; ++i) v[i] = 1.0 + 0.5 * static_cast<double>((i * 7919) % 11) / 11.0;
  double estimate = 0.0;
  for (int step = 0; step < 50; ++step) {
    const double length = norm(v);
    if (!(length > 0.0)) return 0.0;
    for (double& entry : v) entry /= length;
    map.apply_transpose(v, back);
    estimate = std::max(estimate, norm(back));
    map.apply(back, v);
  }
  return 1.1 * estimate;
}

class ImageSet final : public ConstraintSet {
 public:
  ImageSet(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map)
      : set_(std::move(set)), map_(std::move(map)), problem_(set_, map_), diameter_(bounded_diameter()) {}

  [[nodiscard]] std::size_t dimension() const override { return map_->rows(); }
  // For people: the map has no text that could be read back.
  [[nodiscard]] std::string name() const override {
    return "image:" + std::to_string(map_->rows()) + ":" + set_->name();
  }

  void project(std::span<double> point) const override {
    for (const double entry : point) {
      if (!std::isfinite(entry)) {
        throw Error("projection: an entry is not finite; accepted: finite entries; the point was left untouched");
      }
    }
    std::vector<double> nearest(point.begin(), point.end());
    if (distance(nearest) <= kSlack * diameter_) return;
    std::copy(nearest.begin(), nearest.end(), point.begin());
  }

  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    std::vector<double> slope(map_->columns());
    std::vector<double> vertex(map_->columns());
    map_->apply_transpose(direction, slope);
    set_->minimise_linear(slope, vertex);
    map_->apply(vertex, minimiser);
  }

  [[nodiscard]] double gauge(std::span<const double> point) const override {
    const double size = norm(point);
    if (!(size > 0.0) || !std::isfinite(size)) return size;
    double found = 1.0;
    if (problem_.grows) {
      const int unit = std::ilogb(size);
      std::vector<double> image(point.begin(), point.end());
      for (double& entry : image) entry = std::scalbn(entry, -unit);
      std::vector<double> theta(problem_.set->dimension(), 0.0);
      ImageLift lift(*problem_.set, *problem_.map);
      const LiftEnd end = lift.run(image, std::numeric_limits<double>::max(), theta);
      found =
          end.beyond ? std::numeric_limits<double>::infinity() : std::scalbn(end.gauge_bound, unit - problem_.exponent);
    }
    // Membership is decided by distance; the gauge is rounded to the side it says.
    return contains(point, 0.0) ? std::min(found, 1.0) : std::max(found, std::nextafter(1.0, 2.0));
  }

  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    std::vector<double> nearest(point.begin(), point.end());
    for (double& entry : nearest) {
      entry /= 1.0 + tolerance;
      if (!std::isfinite(entry)) return false;
    }
    return distance(nearest) <= kSlack * diameter_;
  }

  // Exact where K is the hull of points on the axes, or of given vertices; elsewhere an upper bound, the diameter of K
  // times the largest singular value.
  [[nodiscard]] double diameter() const override { return diameter_; }
  // An upper bound: the width of K times the largest singular value (Slepian).
  [[nodiscard]] double gaussian_width() const override { return spectral_bound(*map_) * set_->gaussian_width(); }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<ImageSet>(set_->scaled(factor), map_);
  }
  [[nodiscard]] bool prefers_width() const override { return set_->prefers_width(); }

 private:
  // The point becomes the nearest one of the set; returns how far it was.
  double distance(std::span<double> point) const {
    std::vector<double> image(point.begin(), point.end());
    for (double& entry : image) entry = std::scalbn(entry, -problem_.exponent);
    double largest = 0.0;
    for (const double entry : image) largest = std::max(largest, std::abs(entry));
    if (largest > 1e12) {  // nearer along its ray: nothing but ties could tell
      for (double& entry : image) entry *= 1e12 / largest;
    }
    std::vector<double> theta(problem_.set->dimension(), 0.0);
    ImageLift lift(*problem_.set, *problem_.map);
    lift.nearest(image, theta);
    std::vector<double> reached(point.size());
    problem_.map->apply(theta, reached);
    double squares = 0.0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      reached[i] = std::scalbn(reached[i], problem_.exponent);
      squares += (point[i] - reached[i]) * (point[i] - reached[i]);
      point[i] = reached[i];
    }
    return std::sqrt(squares);
  }

  [[nodiscard]] double bounded_diameter() const {
    const auto* faces = dynamic_cast<const geometry::Faces*>(problem_.set.get());
    if (!faces->spanned_by_axes()) return spectral_bound(*map_) * set_->diameter();
    double longest = 0.0;
    std::vector<double> column(map_->rows());
    for (std::size_t j = 0; j < problem_.map->columns(); ++j) {
      std::fill(column.begin(), column.end(), 0.0);
      problem_.map->add_column(j, 1.0, column);
      longest = std::max(longest, dot(column, column));
    }
    return std::scalbn(std::sqrt(longest) * problem_.set->diameter(), problem_.exponent);
  }

  std::shared_ptr<const ConstraintSet> set_;
  std::shared_ptr<const LinearMap> map_;
  ImageProblem problem_;
  double diameter_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_image_set(std::shared_ptr<const ConstraintSet> set,
                                              std::shared_ptr<const LinearMap> map) {
  return std::make_unique<ImageSet>(std::move(set), std::move(map));
}

}  // namespace rivulet::solve
