#include "sketch/projected_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geometry/faces.h"
#include "rivulet/error.h"
#include "sketch/projected_problem.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::dot;
using solve::norm;
namespace {

// Of the gauge: where bound and gauge are this close the lift is done.
constexpr double kGaugeGap = 1e-9;
// Of the image: a smaller residual is rounding.
constexpr double kFits = 1e-11;
// A point that fits exactly is preferred to one that nearly does where its gauge is nearly the least, or where the
// other does not even nearly fit.
constexpr double kNearlyFits = 1e-8;
constexpr double kNearlyLeast = 1e-6;
// An inexact Newton step loses this fraction of its length at most.
constexpr double kStepLoss = 0.05;
// A start that fits is tested this little below its gauge, and with this little loss: enough to prove it optimal.
constexpr double kBelowStart = 1e-4;
constexpr double kProbeLoss = 1e-6;
// Of the squared distance, which makes the nearest point exact to some 1e-7 of the distance.
constexpr double kNearestGap = 1e-14;
constexpr std::size_t kMostRounds = 60;

}  // namespace

Lift::Lift(const ConstraintSet& set, const LinearMap& map)
    : set_(&set),
      map_(&map),
      least_squares_(set, map),
      slope_(map.columns()),
      vertex_(map.columns()),
      trial_(map.columns()),
      residual_(map.rows()) {}

double Lift::first_bound(std::span<const double> image) {
  map_->apply_transpose(image, slope_);
  for (double& entry : slope_) entry = -entry;
  set_->minimise_linear(slope_, vertex_);
  const double support = -dot(slope_, vertex_);
  return support > 0.0 ? dot(image, image) / support : 0.0;
}

double Lift::distance(std::span<const double> image, std::span<const double> theta) {
  map_->apply(theta, residual_);
  for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= image[i];
  return norm(residual_);
}

void Lift::bring_into(double gamma, std::span<double> theta) const {
  for (double& entry : theta) entry /= gamma;
  set_->project(theta);
  for (double& entry : theta) entry *= gamma;
}

std::size_t Lift::nearest(std::span<const double> image, std::span<double> theta) {
  if (std::all_of(theta.begin(), theta.end(), [](double entry) { return entry == 0.0; })) {
    // The vertex farthest along the image: sparse where the simplex's point nearest to the origin is not.
    map_->apply_transpose(image, slope_);
    for (double& entry : slope_) entry = -entry;
    set_->minimise_linear(slope_, theta);
  }
  bring_into(1.0, theta);
  least_squares_.begin();
  const double scale = 1.0 + norm(image);
  const LeastSquaresEnd end = least_squares_.run(image, 1.0, kNearestGap, kFits * kFits * scale * scale, theta);
  std::copy(theta.begin(), theta.end(), trial_.begin());
  least_squares_.fit_freely(image, trial_);
  set_->project(trial_);
  if (distance(image, trial_) < end.residual) std::copy(trial_.begin(), trial_.end(), theta.begin());
  return end.steps;
}

LiftEnd Lift::run(std::span<const double> image, double most, std::span<double> theta) {
  const double scale = norm(image);
  LiftEnd end;
  end.gauge_bound = first_bound(image);
  if (!(end.gauge_bound > 0.0)) {  // nothing in the set has an image along this one
    std::fill(theta.begin(), theta.end(), 0.0);
    end.beyond = true;
    return end;
  }
  double gamma = std::min(end.gauge_bound, most);
  least_squares_.begin();
  const bool fitting_start = distance(image, theta) <= kFits * scale && set_->gauge(theta) <= 1e6 * most;
  if (fitting_start) {
    std::copy(theta.begin(), theta.end(), trial_.begin());
    gamma = std::min(most, std::max(gamma, set_->gauge(theta) * (1.0 - kBelowStart)));
  }
  bool probing = fitting_start;
  double least = fitting_start ? set_->gauge(trial_) : INFINITY;  // of the fitting points seen; trial_ has it

  for (std::size_t round = 0; round < kMostRounds; ++round) {
    if (least <= end.gauge_bound * (1.0 + kGaugeGap)) break;
    bring_into(gamma, theta);
    LeastSquaresEnd reached =
        least_squares_.run(image, gamma, probing ? kProbeLoss : kStepLoss, kFits * kFits * scale * scale, theta);
    end.steps += reached.steps;
    const double before = end.gauge_bound;
    end.gauge_bound = std::max(before, reached.gauge_bound);
    if (end.gauge_bound >= most * (1.0 - 1e-13) && gamma >= most) {
      reached = least_squares_.run(image, most, 1e-9, 1e-14 * scale * scale, theta);
      end.gauge_bound = std::max(end.gauge_bound, reached.gauge_bound);
      end.beyond = reached.residual > kFits * scale;
      if (end.beyond) return end;
    }
    std::vector<double> fitted(theta.begin(), theta.end());
    double residual = least_squares_.fit_freely(image, fitted);
    if (std::isinf(set_->gauge(fitted))) {  // rounding took a coordinate to the wrong side of zero
      bring_into(gamma, fitted);
      residual = distance(image, fitted);
    }
    if (residual <= kFits * scale && set_->gauge(fitted) < least) {
      least = set_->gauge(fitted);
      trial_ = fitted;
    }
    const bool rose = end.gauge_bound > before * (1.0 + 1e-14);
    if (!rose && !probing) break;
    probing = false;
    gamma = std::min(end.gauge_bound, most);
  }
  const bool needed = least <= most && distance(image, theta) > kNearlyFits * scale;
  if (needed || least <= end.gauge_bound * (1.0 + kNearlyLeast)) {
    std::copy(trial_.begin(), trial_.end(), theta.begin());
  }
  return end;
}

// Phi K as a set of m dimensions.

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

class ProjectedSet final : public ConstraintSet {
 public:
  ProjectedSet(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map)
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
      Lift lift(*problem_.set, *problem_.map);
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
    return std::make_unique<ProjectedSet>(set_->scaled(factor), map_);
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
    Lift lift(*problem_.set, *problem_.map);
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
  ProjectedProblem problem_;
  double diameter_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_projected_set(std::shared_ptr<const ConstraintSet> set,
                                                  std::shared_ptr<const LinearMap> map) {
  return std::make_unique<ProjectedSet>(std::move(set), std::move(map));
}

}  // namespace rivulet::sketch
