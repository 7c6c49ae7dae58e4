#include "solve/image_lift.h"

#include <algorithm>
#include <cmath>

#include "solve/vector_math.h"

namespace rivulet::solve {
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

ImageLift::ImageLift(const ConstraintSet& set, const LinearMap& map)
    : set_(&set),
      map_(&map),
      least_squares_(set, map),
      slope_(map.columns()),
      vertex_(map.columns()),
      trial_(map.columns()),
      residual_(map.rows()) {}

double ImageLift::first_bound(std::span<const double> image) {
  map_->apply_transpose(image, slope_);
  for (double& entry : slope_) entry = -entry;
  set_->minimise_linear(slope_, vertex_);
  const double support = -dot(slope_, vertex_);
  return support > 0.0 ? dot(image, image) / support : 0.0;
}

double ImageLift::distance(std::span<const double> image, std::span<const double> theta) {
  map_->apply(theta, residual_);
  for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= image[i];
  return norm(residual_);
}

void ImageLift::bring_into(double gamma, std::span<double> theta) const {
  for (double& entry : theta) entry /= gamma;
  set_->project(theta);
  for (double& entry : theta) entry *= gamma;
}

std::size_t ImageLift::nearest(std::span<const double> image, std::span<double> theta) {
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

LiftEnd ImageLift::run(std::span<const double> image, double most, std::span<double> theta) {
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

}  // namespace rivulet::solve
