// Least squares from noisy sums, with the error each kind of noise leaves. All in unit-ball units.
//
// The sums are Q = G + N, q = g + n, S = sum y^2 + m, with independent Gaussian noise N (symmetric), n, m of known
// size. For the coefficients theta* of the best linear prediction, exactly,
//   Q^-1 q - theta* = Q^-1 xi,  xi = X^T e + n - N theta*,  cov xi = s^2 G + W,
//   W = sigma_cross^2 I + cov(N theta*),
//   cov(N theta) = sigma_off^2 (||theta||^2 I + theta theta^T) + (sigma_diag^2 - 2 sigma_off^2) diag(theta^2).
// The inverse of a noisy matrix is too large on average; P = Q + sigma_off^2 (tr(Q^-1) I - Q^-1) makes up for it to
// second order. (E N Q^-1 N = sigma_off^2 (tr(Q^-1) I + Q^-1) would centre the estimate itself; but in the direction
// concerned its standard error errs with it, and what counts is their ratio, which this centres.)
#pragma once

#include <Eigen/Core>
#include <vector>

#include "infer/residual_variance.h"
#include "rivulet/statistics.h"

namespace rivulet::infer {

struct NoisyLeastSquares {
  std::vector<Eigen::Index> determined;  // coordinates in the fit, ascending
  Eigen::VectorXd theta;                 // 0 outside the fit, as are the matrices' rows and columns
  Eigen::MatrixXd sampling;              // P^-1: times s^2, the covariance from sampling
  Eigen::MatrixXd privacy;               // P^-1 W P^-1: the covariance from privacy noise
  ResidualVariance residual;             // s^2
  double r_squared = 0.0;
  double r_squared_stddev = 0.0;  // from privacy noise
};

// `rows`: how many rows are in the sums. `intercept`: coordinate 0 is the intercept's. With nothing determined, the
// matrices stay empty, theta and R^2 are 0 and R^2's standard deviation is infinite.
NoisyLeastSquares noisy_least_squares(const Statistics& statistics, double rows, bool intercept);

}  // namespace rivulet::infer
