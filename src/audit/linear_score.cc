#include "audit/linear_score.h"

#include <Eigen/Dense>
#include <cmath>

namespace rivulet::audit {
namespace {

using Trials = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Below this share of a number's own variance there is no noise, only rounding.
constexpr double kNoNoise = 1e-9;

Trials as_matrix(const std::vector<double>& trials, std::size_t size) {
  return {trials.data(), static_cast<Eigen::Index>(trials.size() / size), static_cast<Eigen::Index>(size)};
}

Eigen::MatrixXd scatter(const Trials& trials) {
  const Eigen::MatrixXd centred = trials.rowwise() - trials.colwise().mean();
  return centred.transpose() * centred;
}

}  // namespace

std::vector<double> discriminant(const View& view, const ViewTrials& trials) {
  if (!view.learn_noise) return view.shift;
  const Trials first = as_matrix(trials.first, view.size);
  const Trials second = as_matrix(trials.second, view.size);
  Eigen::VectorXd shift = (second.colwise().mean() - first.colwise().mean()).transpose();
  if (!view.shift.empty()) shift = Eigen::Map<const Eigen::VectorXd>(view.shift.data(), shift.size());
  Eigen::MatrixXd noise = (scatter(first) + scatter(second)) / static_cast<double>(first.rows() + second.rows() - 2);

  // In units of each number's own noise. One without any is measured by its shift, and keeps a variance of 0.
  Eigen::VectorXd unit = noise.diagonal().cwiseSqrt();
  for (Eigen::Index i = 0; i < unit.size(); ++i) {
    if (unit(i) == 0.0) unit(i) = shift(i) != 0.0 ? std::abs(shift(i)) : 1.0;
  }
  const Eigen::VectorXd inverse_unit = unit.cwiseInverse();
  noise = inverse_unit.asDiagonal() * noise * inverse_unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(noise);
  const Eigen::VectorXd variances = directions.eigenvalues().cwiseMax(kNoNoise);
  const Eigen::VectorXd along = directions.eigenvectors().transpose() * inverse_unit.cwiseProduct(shift);
  const Eigen::VectorXd weights = inverse_unit.cwiseProduct(directions.eigenvectors() * along.cwiseQuotient(variances));
  return {weights.data(), weights.data() + weights.size()};
}

double score(std::span<const double> weights, std::span<const double> numbers) {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * numbers[i];
  return sum;
}

}  // namespace rivulet::audit
