// Incremental constrained least squares WITHOUT privacy: the comparison the paper's excess risk is defined against. It
// keeps exact sums of the rows, so nothing it returns may ever be published. It is built for tests, experiments and the
// demo only; neither the library nor the command line links it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fit/model_fitter.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet::not_private {

class ExactLeastSquares {
 public:
  ExactLeastSquares(const Schema& schema, const std::string& constraint);

  // The same bounding as the private mechanism's (clamp, scale, clip; unusable rows are zero rows), in plain floating
  // point.
  void observe(std::span<const double> values, double target);

  // theta_hat_t = argmin over K of sum (y - <x, theta>)^2, in unit-ball units, and the model in the user's units.
  [[nodiscard]] Model model();
  // sum (y - <x, theta>)^2 over everything seen, theta in unit-ball units.
  [[nodiscard]] double risk(std::span<const double> theta) const;
  // risk(theta) - min over K of the risk: the paper's excess empirical risk.
  [[nodiscard]] double excess_risk(std::span<const double> theta);
  // 1 - risk(theta) / sum of (y - mean y)^2 over the usable rows.
  [[nodiscard]] double r_squared(std::span<const double> theta) const;

 private:
  Schema schema_;
  std::vector<Schema::Scale> scales_;
  Schema::Scale target_scale_;
  fit::ModelFitter fitter_;
  Statistics sums_;
  double target_sum_ = 0.0;
  std::uint64_t usable_ = 0;
  std::vector<double> x_;
};

}  // namespace rivulet::not_private
