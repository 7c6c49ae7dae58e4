#include "infer/noisy_least_squares.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/determined.h"
#include "infer/noise_functional.h"

namespace rivulet::infer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double square(double x) {
  return x * x;
}

MatrixXd inverse(const MatrixXd& matrix) {
  return matrix.llt().solve(MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

// cov(N theta) for the symmetric noise N of the Gram matrix.
MatrixXd gram_noise_times(const VectorXd& theta, const NoiseLevel& noise) {
  const double off = square(noise.gram_offdiagonal);
  MatrixXd covariance = off * theta * theta.transpose();
  covariance.diagonal().array() +=
      off * theta.squaredNorm() + (square(noise.gram_diagonal) - 2.0 * off) * theta.array().square();
  return covariance;
}

// R^2 = 1 - RSS / TSS, and the delta method on both. With an intercept TSS is the residual sum of squares of the fit by
// the intercept alone, S - q_0^2 / Q_00: noise in it is shared with RSS.
void explain(NoisyLeastSquares& fit, double residual_square, const Statistics& statistics, bool intercept) {
  const double constant = intercept ? statistics.cross[0] / statistics.gram[0] : 0.0;
  const double total = statistics.target_square - (intercept ? constant * statistics.cross[0] : 0.0);
  fit.r_squared_stddev = std::numeric_limits<double>::infinity();
  if (!(total > 0.0)) return;
  const double left = std::clamp(residual_square / total, 0.0, 1.0);
  fit.r_squared = 1.0 - left;
  NoiseFunctional error = squared_error(fit.theta);
  error.square -= left;
  if (intercept) {
    error.gram(0, 0) -= left * square(constant);
    error.cross(0) += 2.0 * left * constant;
  }
  const double noise = stddev(error, statistics) / total;
  if (std::isfinite(noise)) fit.r_squared_stddev = noise;
}

}  // namespace

NoisyLeastSquares noisy_least_squares(const Statistics& statistics, double rows, bool intercept) {
  const auto dimension = static_cast<Index>(statistics.dimension);
  const NoiseLevel& noise = statistics.noise;
  const Eigen::Map<const MatrixXd> gram(statistics.gram.data(), dimension, dimension);
  const Eigen::Map<const VectorXd> cross(statistics.cross.data(), dimension);

  NoisyLeastSquares fit;
  fit.r_squared_stddev = std::numeric_limits<double>::infinity();
  fit.theta = VectorXd::Zero(dimension);
  // One row more than coordinates, at least: a residual variance needs it.
  const double most = std::clamp(std::floor(rows) - 1.0, 0.0, static_cast<double>(dimension));
  fit.determined = determined_coordinates(gram, noise, intercept, static_cast<Index>(most));
  if (fit.determined.empty()) return fit;

  const auto& chosen = fit.determined;
  const auto count = static_cast<Index>(chosen.size());
  const MatrixXd q_matrix = gram(chosen, chosen);
  const VectorXd q = cross(chosen);
  const MatrixXd q_inverse = inverse(q_matrix);
  const double off = square(noise.gram_offdiagonal);
  MatrixXd p_matrix = q_matrix - off * q_inverse;
  p_matrix.diagonal().array() += off * q_inverse.trace();
  const MatrixXd p_inverse = inverse(p_matrix);
  const VectorXd theta = p_inverse * q;
  MatrixXd w = gram_noise_times(theta, noise);
  w.diagonal().array() += square(noise.cross);

  fit.theta(chosen) = theta;
  fit.sampling = MatrixXd::Zero(dimension, dimension);
  fit.sampling(chosen, chosen) = p_inverse;
  fit.privacy = MatrixXd::Zero(dimension, dimension);
  fit.privacy(chosen, chosen) = p_inverse * w * p_inverse;

  // The minimum over theta of the noisy sum of squares is too small: by d s^2, as without noise, and by tr(Q^-1 W).
  const double minimum = statistics.target_square - q.dot(q_inverse * q);
  const double residual_square = minimum + p_inverse.cwiseProduct(w).sum();
  const double degrees_of_freedom = rows - static_cast<double>(count);
  fit.residual = residual_variance(residual_square, stddev(squared_error(fit.theta), statistics), degrees_of_freedom);
  explain(fit, fit.residual.mean * degrees_of_freedom, statistics, intercept);
  return fit;
}

}  // namespace rivulet::infer
