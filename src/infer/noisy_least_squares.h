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

#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet::infer {

// What statistics and levels must be for anything to be inferred from them.
//
// Both throw RequestError.
void check_level(double level);
// The schema's shape, with the sum of squared targets, and numbers that are sums and sizes of noise.
void check_statistics(const Schema& schema, const Statistics& statistics);

// Linear functions of the privacy noise and how they vary together: what every error formula here comes down to.
//
// tr(gram N) + cross^T n + square m, for the noise N (symmetric), n and m of sum x x^T, sum x y and sum y^2.
struct NoiseFunctional {
  Eigen::MatrixXd gram;  // symmetric
  Eigen::VectorXd cross;
  double square = 0.0;
};

// sum (y - <x, theta>)^2 = sum y^2 - 2 <theta, sum x y> + theta^T (sum x x^T) theta, as a function of the sums; of
// their noise in the same way.
NoiseFunctional squared_error(const Eigen::VectorXd& theta);

// From the sizes of the noise that the statistics state.
double covariance(const NoiseFunctional& a, const NoiseFunctional& b, const Statistics& statistics);
double stddev(const NoiseFunctional& functional, const Statistics& statistics);

// Which coordinates the noise leaves determined.
//
// The smallest eigenvalue a noisy Gram matrix of `coordinates` coordinates must have for first-order error formulas to
// hold: sigma (sqrt(2 coordinates) + 4). The first term is the spectral norm of the noise; the second keeps one
// direction's own noise, sigma, a quarter of what is divided by. Chosen by experiment: with 2, 3 and 4, 95% intervals
// of a lone large coefficient miss at most 7.4%, 6.2% and 5.8% of the time, wherever the true matrix lies.
double eigenvalue_limit(const NoiseLevel& noise, Eigen::Index coordinates);

// A set of coordinates, ascending, whose part of `gram` has its smallest eigenvalue above the limit: all of them if
// possible, otherwise those that vary most beside the ones already chosen (the order of a Cholesky factorisation with
// diagonal pivoting). With `intercept`, coordinate 0 is chosen first: without it there is nothing to compare with, and
// the set is empty. At most `most` coordinates. Time O(d^3) and, unless all are determined, a further log d
// eigenvalue problems.
std::vector<Eigen::Index> determined_coordinates(const Eigen::MatrixXd& gram, const NoiseLevel& noise, bool intercept,
                                                 Eigen::Index most);

// The residual variance as the privacy noise leaves it.
struct ResidualVariance {
  double mean = 0.0;             // the estimate
  double privacy_stddev = 0.0;   // what the privacy noise leaves open about it
  double sampling_stddev = 0.0;  // what a finite number of rows leaves open, for normal errors
};

// From an unbiased residual sum of squares with privacy noise of the given standard deviation. A variance is not
// negative, so the estimate is the mean of a normal distribution around the noisy value, cut off below zero: the noisy
// value itself when that is many standard deviations above zero, and never zero when it is drowned, for a zero would
// make prediction intervals empty. Without noise: sum / degrees_of_freedom.
ResidualVariance residual_variance(double residual_square, double noise_stddev, double degrees_of_freedom);

// Degrees of freedom (Welch and Satterthwaite) of a variance fixed + weight * residual variance, fixed known; the
// rows' own when there is no privacy noise, infinite when the residual variance does not matter.
double effective_degrees_of_freedom(const ResidualVariance& residual, double weight, double fixed);

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
