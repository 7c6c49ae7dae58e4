// What a mechanism will do, in numbers, before there is any data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"

namespace rivulet::fit {

struct PlanAtStep {
  std::uint64_t step = 0;
  double decoder_norm = 0.0;
  NoiseLevel noise;
  double noise_share = 0.0;            // see steps_until_share
  double predicted_excess_risk = 0.0;  // expected bound for the exact minimiser over K, never above the trivial bound;
                                       // with a sketch, its distortion (sketch_plan.h) included
  double excess_risk_bound = 0.0;      // holds with probability 1 - beta at this step
};

class PlanReport {
 public:
  // `set` in unit-ball units. `sketched`: the plan is for a sketch of rows of the set's dimension.
  PlanReport(const privacy::MechanismPlan& plan, const ConstraintSet& set, double beta, bool sketched = false);

  [[nodiscard]] PlanAtStep at(std::uint64_t step) const;
  // The step of the worst prefix noise up to the horizon (or up to the design horizon when unbounded).
  [[nodiscard]] double largest_decoder_norm() const { return plan_.strategy().max_decoder_norm(); }
  // The expression of the paper's Theorem 4.2, constant 1, for T = the horizon, or for T = `step` when there is none.
  [[nodiscard]] double theorem_4_2(std::uint64_t step) const;
  // First step whose spectral Gram noise, about sqrt(2 d) sigma_t, is at most `share` of the Gram eigenvalues of rows
  // that fill the unit ball evenly, rows/d. Nothing when the horizon ends first.
  [[nodiscard]] std::optional<std::uint64_t> steps_until_share(double share) const;

 private:
  [[nodiscard]] double noise_share(std::uint64_t step) const;

  const privacy::MechanismPlan& plan_;
  const ConstraintSet& set_;
  double beta_;
  bool sketched_;
};

}  // namespace rivulet::fit
