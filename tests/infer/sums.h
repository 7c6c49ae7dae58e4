// Exact statistics of hand-made rows, without the pipeline: a zero noise level is what the formulas are checked at.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet::testing {

// Adds up rows given in the user's units. Rows must lie within the bounds and be no longer than the norm limit.
class Sums {
 public:
  explicit Sums(const Schema& schema) : schema_(schema), x_(schema.dimension()) {
    statistics_.step = 1;
    statistics_.dimension = x_.size();
    statistics_.gram.assign(x_.size() * x_.size(), 0.0);
    statistics_.cross.assign(x_.size(), 0.0);
    statistics_.has_target_square = true;
  }

  void add(std::span<const double> values, double target) {
    ++statistics_.rows;
    const std::vector<Schema::Scale> scales = schema_.value_scales();
    const Schema::Scale of_target = schema_.target_scale();
    const std::size_t first = schema_.has_intercept() ? 1 : 0;
    if (first == 1) x_[0] = 1.0 / schema_.norm_limit();
    for (std::size_t i = 0; i < values.size(); ++i) {
      x_[first + i] = (values[i] - scales[i].centre) / scales[i].half_range / schema_.norm_limit();
    }
    const double y = (target - of_target.centre) / of_target.half_range;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      for (std::size_t j = 0; j < x_.size(); ++j) statistics_.gram[i * x_.size() + j] += x_[i] * x_[j];
      statistics_.cross[i] += x_[i] * y;
    }
    statistics_.target_square += y * y;
  }

  // A row that cannot be used counts, and adds nothing.
  void add_unusable() { ++statistics_.rows; }

  [[nodiscard]] const Statistics& statistics() const { return statistics_; }

 private:
  Schema schema_;
  std::vector<double> x_;
  Statistics statistics_;
};

}  // namespace rivulet::testing
