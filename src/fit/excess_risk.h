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

}  // namespace rivulet::fit
