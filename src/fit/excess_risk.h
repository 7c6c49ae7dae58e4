// Explicit bounds on the excess empirical risk, from the known noise. Every O(.) of the paper's analysis made a number.
//
// Gram noise N is symmetric, variance sigma^2 on the diagonal and sigma^2/2 above it; cross noise n has variance
// sigma_c^2. For a set K of diameter R and Gaussian width w, comparison with the process <theta, g> (Sudakov-Fernique:
// E|X_a - X_b|^2 = sigma^2 ||a a^T - b b^T||_F^2 <= 2 sigma^2 R^2 ||a - b||^2) and Gaussian concentration give, each
// with probability >= 1 - beta/2,
//   sup_K |theta^T N theta| <= sigma R (sqrt(2) w + R t),   sup_K |n^T theta| <= sigma_c (w + R t),   t = sqrt(2
//   ln(4/beta)).
#pragma once

#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/model.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rivulet::fit {

// alpha of the paper's Definition of an (alpha, beta)-accurate gradient: sup over the ball of radius `diameter` of
// ||g_t(theta) - grad L(theta)|| <= 2 (diameter ||N|| + ||n||) with probability at least 1 - beta.
double gradient_accuracy(const NoiseLevel& noise, double dimension, double diameter, double beta);

// The exact minimiser over K of the noisy objective with a ridge: excess <= 2 sup_K |theta^T N theta - 2 n^T theta| +
// ridge R^2, with probability at least 1 - beta. beta = 1 gives the expectation of the supremum (t = 0).
double fast_solver_bound(const NoiseLevel& noise, const ConstraintSet& set, double ridge, double beta);
double fast_solver_bound(const NoiseLevel& noise, double diameter, double width, double ridge, double beta);

// NoisyProjGrad with r = (1 + L/alpha)^2 steps: excess <= 3 alpha ||C||. The paper's Corollary has 2 alpha ||C||; its
// proof bounds
// ||theta* - theta_k|| by ||C||, but two points of C can be 2 ||C|| apart.
double noisy_proj_grad_bound(const NoiseLevel& noise, const ConstraintSet& set, double beta);
double noisy_proj_grad_bound(const NoiseLevel& noise, double dimension, double diameter, double beta);

// Lipschitz constant over K of the loss of `rows` rows with ||x|| <= 1, |y| <= 1: 2 rows (diameter + 1).
double loss_lipschitz(double rows, double diameter);


// What a mechanism will do, in numbers, before there is any data.

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
