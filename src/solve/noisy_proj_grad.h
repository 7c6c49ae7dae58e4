// Algorithm NoisyProjGrad of "Private Incremental Regression": averaged projected gradient descent with a constant step
// that sees the objective only through an approximate gradient function. Kept as the paper has it, as the yardstick for
// the default solver and for the profile that follows the paper to the letter.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rivulet/constraint.h"

namespace rivulet::solve {

// Writes the approximate gradient at theta to `gradient`; both have the dimension of the constraint set.
using GradientFunction = std::function<void(std::span<const double> theta, std::span<double> gradient)>;

struct NoisyProjGradParameters {
  double alpha = 0.0;      // ||g(theta) - grad f(theta)|| <= alpha over the set
  double lipschitz = 0.0;  // L >= ||grad f(theta)|| over the set
  std::uint64_t r = 1;     // iterations
  double eta = 0.0;        // constant step ||C|| / (sqrt(r) (alpha + L))
  bool reached_limit =
      false;  // r was cut to the limit given; the guarantee is then value_bound(), no longer the corollary's

  // The corollary's choice r = ceil((1 + L/alpha)^2), for which f(output) - min f <= 2 alpha ||C||. r grows as the
  // square of the signal-to-noise ratio, so it is clamped to max_iterations. Throws RequestError unless diameter, alpha
  // and lipschitz are positive and finite and max_iterations >= 1.
  static NoisyProjGradParameters from_corollary(double diameter, double alpha, double lipschitz,
                                                std::uint64_t max_iterations);

  // The proposition's bound on f(output) - min f for convex f:  (alpha + L) ||C|| / sqrt(r) + alpha ||C||.
  // ||C|| in the first term may be the radius when the start is the centre. In the last term the proof needs the
  // largest distance between two points of C, at most 2 ConstraintSet::diameter().
  [[nodiscard]] double value_bound(double diameter) const;
};

// theta_1 = P_C(0), theta_{k+1} = P_C(theta_k - eta g(theta_k)); returns the average of theta_1 .. theta_r, inside the
// set. Time r gradients and projections; memory three vectors.
std::vector<double> noisy_proj_grad(const ConstraintSet& set, const GradientFunction& g,
                                    const NoisyProjGradParameters& parameters);
// The same from a theta_1 of the caller's, which must lie in the set.
std::vector<double> noisy_proj_grad(const ConstraintSet& set, const GradientFunction& g,
                                    const NoisyProjGradParameters& parameters, std::span<const double> theta_1);

}  // namespace rivulet::solve
