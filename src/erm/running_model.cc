#include "erm/running_model.h"

#include <algorithm>
#include <cstddef>

namespace rivulet::erm {

void RunningModel::take(std::span<const double> fresh, double rows, double mu, double window_calls) {
  const double knows = rows * mu * rows * mu;
  known_ += knows;
  // Weights within the window; past it the older calls fade by 1 / window_calls each time, to a mean age of one window.
  const double share = std::clamp(knows / known_, 1.0 / window_calls, 1.0);
  for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += share * (fresh[i] - theta_[i]);
  if (share == 1.0) std::copy(fresh.begin(), fresh.end(), theta_.begin());
}

}  // namespace rivulet::erm
