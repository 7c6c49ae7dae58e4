#include "infer/noisy_least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet::infer {
namespace {

// Sums of rows in the unit ball are at most their number; the limit only keeps squares and products finite.
bool is_sum(double value) {
  return std::abs(value) < 1e100;
}
bool is_stddev(double value) {
  return value >= 0.0 && value < 1e100;
}

}  // namespace

void check_level(double level) {
  if (!(level > 0.0 && level < 1.0)) {
    throw RequestError("level",
                       shown(level) + " is not a confidence level; accepted: a number between 0 and 1, as 0.95");
  }
}

void check_statistics(const Schema& schema, const Statistics& statistics) {
  schema.validate();
  const std::size_t dimension = schema.dimension();
  if (statistics.dimension != dimension || statistics.gram.size() != dimension * dimension ||
      statistics.cross.size() != dimension) {
    throw RequestError("statistics", "they have " + std::to_string(statistics.dimension) +
                                         " coordinates; accepted: the schema's " + std::to_string(dimension));
  }
  if (!statistics.has_target_square) {
    throw RequestError("statistics",
                       "they lack the sum of squared targets, which tells the residual scale and which profile `paper` "
                       "does not release; accepted: statistics of profile `tight`");
  }
  const NoiseLevel& noise = statistics.noise;
  if (!std::all_of(statistics.gram.begin(), statistics.gram.end(), is_sum) ||
      !std::all_of(statistics.cross.begin(), statistics.cross.end(), is_sum) || !is_sum(statistics.target_square) ||
      !is_stddev(noise.gram_diagonal) || !is_stddev(noise.gram_offdiagonal) || !is_stddev(noise.cross) ||
      !is_stddev(statistics.target_square_stddev)) {
    throw RequestError("statistics",
                       "an entry is not a sum over rows of the unit ball or not the size of a noise; accepted: numbers "
                       "below 1e100, for noise not negative");
  }
}

namespace {

double square(double x) {
  return x * x;
}

}  // namespace

NoiseFunctional squared_error(const Eigen::VectorXd& theta) {
  return {theta * theta.transpose(), -2.0 * theta, 1.0};
}

double covariance(const NoiseFunctional& a, const NoiseFunctional& b, const Statistics& statistics) {
  const NoiseLevel& noise = statistics.noise;
  const double diagonal = a.gram.diagonal().dot(b.gram.diagonal());
  const double both_triangles = a.gram.cwiseProduct(b.gram).sum() - diagonal;  // an entry of N stands in both
  return square(noise.gram_diagonal) * diagonal + square(noise.gram_offdiagonal) * 2.0 * both_triangles +
         square(noise.cross) * a.cross.dot(b.cross) + a.square * b.square * square(statistics.target_square_stddev);
}

double stddev(const NoiseFunctional& functional, const Statistics& statistics) {
  return std::sqrt(std::max(0.0, covariance(functional, functional, statistics)));
}

namespace {

using Eigen::Index;

// Without noise, a smallest eigenvalue that sums of rows in double precision cannot tell from zero.
constexpr double kRoundingShare = 1e-10;
// Keeps the entries of the inverse finite; no row lattice is anywhere near so fine.
constexpr double kSmallestPivot = 1e-60;

double smallest_eigenvalue(const Eigen::MatrixXd& gram, const std::vector<Index>& order, Index count) {
  const std::vector<Index> chosen(order.begin(), order.begin() + count);
  const Eigen::MatrixXd part = gram(chosen, chosen);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(part, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success ? solver.eigenvalues()(0) : -std::numeric_limits<double>::infinity();
}

}  // namespace

double eigenvalue_limit(const NoiseLevel& noise, Index coordinates) {
  const double sigma = std::max(noise.gram_diagonal, std::sqrt(2.0) * noise.gram_offdiagonal);
  return sigma * (std::sqrt(2.0 * static_cast<double>(coordinates)) + 4.0);
}

std::vector<Index> determined_coordinates(const Eigen::MatrixXd& gram, const NoiseLevel& noise, bool intercept,
                                          Index most) {
  const double rounding = std::max(kRoundingShare * gram.diagonal().cwiseAbs().maxCoeff(), kSmallestPivot);
  const auto limit = [&](Index count) { return std::max(eigenvalue_limit(noise, count), rounding); };

  // Cholesky with the largest remaining diagonal entry as the next pivot. A pivot is at least the smallest eigenvalue
  // of the chosen part, so the first one below the limit ends the list.
  const Index longest = std::min(gram.rows(), most);
  std::vector<Index> order;
  Eigen::MatrixXd factor(gram.rows(), longest);
  Eigen::VectorXd rest = gram.diagonal();
  for (Index count = 0; count < longest; ++count) {
    Index pivot = 0;
    if (count > 0 || !intercept) rest.maxCoeff(&pivot);
    if (!(rest(pivot) > limit(count + 1))) break;
    order.push_back(pivot);
    const auto before = factor.leftCols(count);
    factor.col(count) = (gram.col(pivot) - before * before.row(pivot).transpose()) / std::sqrt(rest(pivot));
    rest.array() -= factor.col(count).array().square();
    rest(pivot) = -std::numeric_limits<double>::infinity();  // never again
  }

  // Each further coordinate lowers the smallest eigenvalue and raises the limit: the longest good part is found by
  // bisection.
  const auto good = [&](Index count) { return smallest_eigenvalue(gram, order, count) > limit(count); };
  auto bad = static_cast<Index>(order.size()) + 1;
  Index enough = 0;
  for (Index count = bad - 1; enough + 1 < bad; count = (enough + bad) / 2) (good(count) ? enough : bad) = count;
  order.resize(static_cast<std::size_t>(enough));
  std::sort(order.begin(), order.end());
  return order;
}

ResidualVariance residual_variance(double residual_square, double noise_stddev, double degrees_of_freedom) {
  ResidualVariance result;
  const double location = residual_square / degrees_of_freedom;
  const double scale = noise_stddev / degrees_of_freedom;
  const double x = location / scale;
  if (!(scale > 0.0) || x > 40.0) {
    result.mean = std::max(location, 0.0);
    result.privacy_stddev = scale;
  } else if (x < -30.0) {
    // So far out the cut-off normal is an exponential distribution to one part in a thousand.
    result.mean = scale / -x;
    result.privacy_stddev = result.mean;
  } else {
    // hazard = density / probability of N(0, 1) at and below x.
    const double hazard = 0.7978845608028653559 * std::exp(-0.5 * x * x) / std::erfc(-x * 0.7071067811865475244);
    result.mean = scale * (x + hazard);
    result.privacy_stddev = scale * std::sqrt(std::max(0.0, 1.0 - hazard * (hazard + x)));
  }
  result.sampling_stddev = result.mean * std::sqrt(2.0 / degrees_of_freedom);
  return result;
}

double effective_degrees_of_freedom(const ResidualVariance& residual, double weight, double fixed) {
  const double total = fixed + weight * residual.mean;
  const double uncertain = weight * std::hypot(residual.privacy_stddev, residual.sampling_stddev);
  if (!(uncertain > 0.0)) return std::numeric_limits<double>::infinity();
  return 2.0 * (total / uncertain) * (total / uncertain);
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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
