#include "sketch/projected_solver.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/number_text.h"
#include "rivulet/error.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::norm;
namespace {

// Largest absolute entry; throws when one is not finite.
double largest_finite(std::span<const double> entries, const char* what) {
  double largest = 0.0;
  bool finite = true;
  for (const double entry : entries) {
    finite = finite && std::isfinite(entry);
    largest = std::max(largest, std::abs(entry));
  }
  if (!finite)
    throw Error(std::string("solve: ") + what + " has an entry that is not finite; accepted: finite entries");
  return largest;
}

void require_level(double level, const char* what) {
  if (level >= 0.0 && std::isfinite(level)) return;
  throw Error(std::string("solve: the noise level of the ") + what + " is " + shown(level) +
              "; accepted: a finite number, 0 or more");
}

void require_size(std::size_t given, std::size_t wanted, const char* what) {
  if (given == wanted) return;
  throw Error(std::string("solve: ") + what + " has " + std::to_string(given) +
              " entries; accepted: " + std::to_string(wanted));
}

int exponent_of(double magnitude) {
  return magnitude > 0.0 ? std::ilogb(magnitude) : -100000;
}

// Images beyond this many diameters are brought nearer along their ray: nothing but ties could tell.
constexpr int kFarthest = 40;
// Images below this are below the rounding of anything.
constexpr int kNearest = -900;

}  // namespace

ProjectedSolver::ProjectedSolver(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map,
                                 Options options)
    : set_(std::move(set)),
      map_(std::move(map)),
      options_(options),
      problem_(set_, map_),
      minimiser_(problem_.set, problem_.map),
      objective_(*problem_.set, *problem_.map),
      lift_(*problem_.set, *problem_.map),
      gram_(map_->rows() * map_->rows()),
      cross_(map_->rows()),
      point_(problem_.set->dimension()),
      theta_(set_->dimension()),
      image_(map_->rows()) {
  if (!(options.ridge >= 0.0) || !std::isfinite(options.ridge)) {
    throw RequestError("ridge", shown(options.ridge) + " given; accepted: a finite number, 0 or more");
  }
  if (options.regularise && !set_->prefers_width()) regulariser_.emplace(map_->rows(), problem_.diameter);
  if (problem_.set->euclidean_radius()) ellipsoid_ = ProjectedEllipsoid::make(*map_);
}

std::optional<int> ProjectedSolver::prepare(const solve::Quadratic& quadratic, const NoiseLevel& noise) {
  const std::size_t m = map_->rows();
  if (quadratic.dimension != m || quadratic.gram.size() != m * m || quadratic.cross.size() != m) {
    throw Error("solve: the quadratic has dimension " + std::to_string(quadratic.dimension) + ", the map " +
                std::to_string(m) + " rows; accepted: the same");
  }
  require_level(noise.gram_diagonal, "gram matrix");
  require_level(noise.cross, "cross moments");
  double largest_gram = std::max(largest_finite(quadratic.gram, "the gram matrix"), options_.ridge);
  double largest_cross = largest_finite(quadratic.cross, "the cross moments");
  if (regulariser_) {
    largest_gram = std::max(largest_gram, noise.gram_diagonal);
    largest_cross = std::max(largest_cross, noise.cross);
  }
  if (largest_gram == 0.0 && largest_cross == 0.0) return std::nullopt;

  // theta = 2^k u turns the objective into 2^(k+e) (u^T Q' u - 2 q'^T u) with Q' = 2^(k-e) Q and q' = 2^-e q. Powers of
  // two are exact, and e makes the larger of the two of order one.
  const int k = problem_.exponent;
  const int e = std::max(exponent_of(largest_gram) + k, exponent_of(largest_cross));
  std::copy(quadratic.gram.begin(), quadratic.gram.end(), gram_.begin());
  std::copy(quadratic.cross.begin(), quadratic.cross.end(), cross_.begin());
  times_power(k - e, gram_);
  times_power(-e, cross_);
  prepared_ = {m, gram_, cross_};
  if (regulariser_) {
    NoiseLevel scaled;
    scaled.gram_diagonal = std::scalbn(noise.gram_diagonal, k - e);
    scaled.gram_offdiagonal = scaled.gram_diagonal / std::numbers::sqrt2;
    scaled.cross = std::scalbn(noise.cross, -e);
    const solve::Quadratic regularised = regulariser_->apply(prepared_, scaled);
    if (regularised.gram.data() != gram_.data()) {
      std::copy(regularised.gram.begin(), regularised.gram.end(), gram_.begin());
    }
  }
  const double ridge = std::scalbn(options_.ridge, k - e);
  for (std::size_t i = 0; i < m; ++i) gram_[i * m + i] += ridge;
  return k + e;
}

void ProjectedSolver::finish(std::span<const double> point) {
  problem_.to_caller(point, theta_);
  set_->project(theta_);
}

MinimiserEnd ProjectedSolver::evaluate(std::span<const double> theta) {
  problem_.image_of(theta, image_);
  return objective_.evaluate_image(prepared_, image_);
}

std::span<const double> ProjectedSolver::minimise(const solve::Quadratic& quadratic, const NoiseLevel& noise,
                                                  std::span<const double> start) {
  report_ = {};
  const std::optional<int> exponent = prepare(quadratic, noise);
  if (!exponent) {
    std::fill(theta_.begin(), theta_.end(), 0.0);
    set_->project(theta_);  // the simplex does not hold the origin
    return theta_;
  }
  std::vector<double> from;
  if (!start.empty()) {
    require_size(start.size(), theta_.size(), "the start");
    largest_finite(start, "the start");
    from.assign(start.begin(), start.end());
    set_->project(from);
  }
  const bool has_start = !from.empty() && problem_.from_caller(from, point_);
  if (ellipsoid_) {
    ellipsoid_->minimise(prepared_, *problem_.set->euclidean_radius(), point_);
  } else {
    report_.iterations = minimiser_.run(prepared_, has_start, point_).iterations;
  }
  finish(point_);
  MinimiserEnd end = evaluate(theta_);
  if (!from.empty()) {
    const MinimiserEnd at_start = evaluate(from);
    if (!(end.objective <= at_start.objective)) {
      theta_ = from;
      end = at_start;
    }
  }
  report_.objective = std::scalbn(end.objective, *exponent);
  report_.gap = std::scalbn(end.gap, *exponent);
  return theta_;
}

std::span<const double> ProjectedSolver::lift(std::span<const double> image, std::span<const double> start) {
  report_ = {};
  require_size(image.size(), map_->rows(), "the image");
  largest_finite(image, "the image");
  if (!start.empty()) {
    require_size(start.size(), theta_.size(), "the start");
    largest_finite(start, "the start");
  }
  // In units in which the scaled set and, where multiples of the set make sense, the image have a size near 1.
  const int image_exponent = exponent_of(largest_finite(image, "the image")) - problem_.exponent;
  const int nearer = std::max(0, image_exponent - kFarthest);
  const int unit = problem_.grows ? std::clamp(image_exponent, kNearest, kFarthest) : 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    image_[i] = std::scalbn(image[i], -problem_.exponent - nearer - unit);
  }
  std::fill(point_.begin(), point_.end(), 0.0);
  if (!start.empty() && problem_.from_caller(start, point_)) {
    times_power(-unit, point_);
  }

  double bound = 0.0;
  const double most = std::scalbn(1.0, -unit);
  if (ellipsoid_) {
    const double radius = *problem_.set->euclidean_radius();
    bound = ellipsoid_->lift(image_, radius * most, point_) / radius;
  } else if (!problem_.grows) {
    bound = 1.0;
    report_.iterations = lift_.nearest(image_, point_);
  } else if (norm(image_) > 0.0) {
    const LiftEnd end = lift_.run(image_, most, point_);
    bound = end.gauge_bound;
    report_.iterations = end.steps;
  } else {
    std::fill(point_.begin(), point_.end(), 0.0);
  }
  times_power(unit, point_);
  finish(point_);
  report_.gauge_bound = problem_.grows ? std::scalbn(bound, unit + nearer) : bound;
  report_.gauge = set_->gauge(theta_);
  map_->apply(theta_, image_);
  for (std::size_t i = 0; i < image.size(); ++i) image_[i] -= image[i];
  const double largest = std::abs(
      *std::max_element(image_.begin(), image_.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  if (largest > 0.0) {
    for (double& entry : image_) entry /= largest;
    report_.residual = largest * norm(image_);
  }
  return theta_;
}

}  // namespace rivulet::sketch
