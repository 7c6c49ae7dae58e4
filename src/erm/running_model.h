// What PrivIncERM publishes: a mean over its last few calls, weighted by what each of them knew.
//
// The paper publishes the last call's model. Its theorem prices an old model at L ||K|| for every row that came since,
// and a call's noise at w(K) D L / mu_j; so models up to
//   window = w(K) D / (mu_j ||K||)
// rows old may take part without the first exceeding the second, and the mean of their noise is less: by convexity the
// excess of a mean is at most the mean of the excesses. At the theorem's tau the window is some eight calls, and many
// more where calls are made more often than that. Within it a call counts as (rows mu_j)^2, the inverse of the variance
// of its noise in theta.
//
// Post-processing: it sees published models only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace rivulet::erm {

class RunningModel {
 public:
  // Begins at `theta`, which counts for nothing once a call has been made.
  explicit RunningModel(std::vector<double> theta) : theta_(std::move(theta)) {}

  // `fresh` is the model of a call of cost mu^2 over `rows` rows; `window_calls` is the window in calls, 1 or more: 1
  // forgets all others. Means of points of a convex set stay in it up to rounding.
  void take(std::span<const double> fresh, double rows, double mu, double window_calls);

  // To go on from later. restore() throws DamagedFile unless it is of the same dimension and finite.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

  [[nodiscard]] const std::vector<double>& theta() const { return theta_; }
  // For the projection that takes back the rounding.
  [[nodiscard]] std::span<double> theta() { return theta_; }

 private:
  std::vector<double> theta_;
  double known_ = 0.0;  // sum of (rows mu)^2
};

}  // namespace rivulet::erm
