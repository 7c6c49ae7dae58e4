#include "fit/user_units.h"

#include <utility>

namespace rivulet::fit {

UserUnits::UserUnits(const Schema& schema, bool sparse) : schema_(schema), sparse_(sparse) {
  if (sparse) return;
  names_ = schema.coordinate_names();
  scales_ = schema.value_scales();
}

Model UserUnits::model(const Statistics& statistics, std::vector<double> theta) const {
  Model model;
  model.step = statistics.step;
  model.rows = statistics.rows;
  model.noise = statistics.noise;
  model.not_private = statistics.not_private;
  model.width = schema_.row_width();
  // With two classes a prediction is a score, in units of its own.
  const Schema::Scale target = schema_.has_classes() ? Schema::Scale{} : schema_.target_scale();
  const double norm_limit = schema_.norm_limit();
  const std::size_t first = schema_.has_intercept() ? 1 : 0;
  if (!sparse_) model.coefficients.reserve(scales_.size());
  double constant = first == 1 ? target.centre + target.half_range * theta[0] / norm_limit : 0.0;
  for (std::size_t i = 0; i < model.width; ++i) {
    if (sparse_ && theta[first + i] == 0.0) continue;
    const Schema::Scale scale = sparse_ ? schema_.value_scale(i) : scales_[i];
    const double slope = target.half_range * theta[first + i] / (norm_limit * scale.half_range);
    model.coefficients.push_back({sparse_ ? schema_.value_name(i) : names_[first + i], slope, i});
    constant -= slope * scale.centre;
  }
  model.intercept = constant;
  model.theta = std::move(theta);
  return model;
}

}  // namespace rivulet::fit
