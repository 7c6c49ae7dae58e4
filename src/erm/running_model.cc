#include "erm/running_model.h"

#include <algorithm>
#include <cmath>
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

void RunningModel::save(ByteWriter& out) const {
  out.f64(known_);
  out.all(theta_);
}

void RunningModel::restore(ByteReader& in) {
  known_ = in.f64();
  in.all(theta_, theta_.size());
  const bool sound = std::isfinite(known_) && known_ >= 0.0 &&
                     std::all_of(theta_.begin(), theta_.end(), [](double entry) { return std::isfinite(entry); });
  if (!sound) in.damaged("it holds what is no number");
}

}  // namespace rivulet::erm
