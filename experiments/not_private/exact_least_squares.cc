#include "not_private/exact_least_squares.h"

#include <algorithm>
#include <cmath>

namespace rivulet::not_private {

ExactLeastSquares::ExactLeastSquares(const Schema& schema, const std::string& constraint)
    : schema_(schema),
      scales_(schema.value_scales()),
      target_scale_(schema.target_scale()),
      fitter_(schema, {.constraint = constraint, .noise_aware_ridge = false, .noisy_proj_grad = {}}) {
  sums_.dimension = schema.dimension();
  sums_.gram.assign(sums_.dimension * sums_.dimension, 0.0);
  sums_.cross.assign(sums_.dimension, 0.0);
  sums_.has_target_square = true;
  sums_.not_private = true;
  x_.resize(sums_.dimension);
}

void ExactLeastSquares::observe(std::span<const double> values, double target) {
  ++sums_.rows;
  ++sums_.step;
  const std::size_t first = schema_.has_intercept() ? 1 : 0;
  if (first == 1) x_[0] = 1.0;
  double norm = first == 1 ? 1.0 : 0.0;
  if (!std::isfinite(target)) return;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    if (!std::isfinite(values[i])) return;
    const double z = (std::clamp(values[i], scales_[i].lo, scales_[i].hi) - scales_[i].centre) / scales_[i].half_range;
    x_[first + i] = z;
    norm += z * z;
  }
  norm = std::sqrt(norm);
  const double limit = schema_.norm_limit();
  const double factor = norm > limit ? 1.0 / norm : 1.0 / limit;
  for (double& entry : x_) entry *= factor;
  const double y =
      (std::clamp(target, target_scale_.lo, target_scale_.hi) - target_scale_.centre) / target_scale_.half_range;

  const std::size_t d = sums_.dimension;
  for (std::size_t i = 0; i < d; ++i) {
    if (x_[i] == 0.0) continue;  // sparse rows are common in the experiments
    for (std::size_t j = 0; j < d; ++j) sums_.gram[i * d + j] += x_[i] * x_[j];
    sums_.cross[i] += x_[i] * y;
  }
  sums_.target_square += y * y;
  target_sum_ += y;
  ++usable_;
}

Model ExactLeastSquares::model() {
  return fitter_.fit(sums_);
}

double ExactLeastSquares::risk(std::span<const double> theta) const {
  const solve::Quadratic quadratic{sums_.dimension, sums_.gram, sums_.cross};
  return quadratic.value(theta) + sums_.target_square;
}

double ExactLeastSquares::excess_risk(std::span<const double> theta) {
  return risk(theta) - risk(model().theta);
}

double ExactLeastSquares::r_squared(std::span<const double> theta) const {
  const double mean = target_sum_ / static_cast<double>(usable_);
  return 1.0 - risk(theta) / (sums_.target_square - static_cast<double>(usable_) * mean * mean);
}

}  // namespace rivulet::not_private
