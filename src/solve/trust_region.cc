#include "solve/trust_region.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/quadratic.h"

namespace rivulet::solve {
namespace {

// The search may stop this close: the point is then moved onto the sphere, where its objective differs from the
// minimum only by the square of this.
constexpr double kSphereTolerance = 1e-8;
constexpr int kMostSteps = 25;

// The multiplier measured from the lowest eigenvalue, s = mu + lowest, keeps its digits where mu itself would cancel.
// ||theta||^2 at s, in the eigenbasis.
double squared_norm_at(const Eigen::VectorXd& gaps, const Eigen::VectorXd& coefficients, double s) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < gaps.size(); ++i) {
    if (coefficients[i] == 0.0) continue;
    const double entry = coefficients[i] / (gaps[i] + s);
    sum += entry * entry;
  }
  return sum;
}

}  // namespace

TrustRegion::TrustRegion(std::size_t dimension) : cholesky_(dimension), theta_(dimension), half_(dimension) {}

std::span<const double> TrustRegion::solve(const Quadratic& quadratic, double ridge, double radius) {
  if (!by_secular_equation(quadratic, ridge, radius)) by_eigenvectors(quadratic, ridge, radius);
  return theta_;
}

// ||theta(mu)||^2 is ||q||^2 times the mean of 1 / (eigenvalue + mu)^2 under the weights q has on the eigenvectors. One
// product with Q gives that distribution's mean and variance. By Jensen's inequality the multiplier is at least
// ||q||/radius - mean, so a positive bound rules the interior out without a factorisation; a second-order expansion
// about the mean then says where to begin. 0 where nothing is ruled out.
double TrustRegion::first_multiplier(const Quadratic& quadratic, double ridge, double radius) {
  const double squares = dot(quadratic.cross, quadratic.cross);
  quadratic.multiply(quadratic.cross, half_);
  const double mean = dot(quadratic.cross, half_) / squares;
  const double bound = std::sqrt(squares) / radius - (mean + ridge);
  if (!(bound > 0.0)) return 0.0;
  const double variance = std::max(0.0, dot(half_, half_) / squares - mean * mean);
  // With s = mean + ridge + mu: s^-2 + 3 variance s^-4 = radius^2 / ||q||^2.
  const double right_side = radius * radius / squares;
  const double inverse_square = 2.0 * right_side / (1.0 + std::sqrt(1.0 + 12.0 * variance * right_side));
  const double start = std::max(bound, 1.0 / std::sqrt(inverse_square) - (mean + ridge));
  return std::isfinite(start) ? start : 0.0;
}

// False when the multiplier was not found; theta_ then holds nothing of use.
bool TrustRegion::by_secular_equation(const Quadratic& quadratic, double ridge, double radius) {
  double low = 0.0;    // the multiplier is at least this
  double high = -1.0;  // and at most this; negative until one is known
  bool zero_refused = false;
  const auto upper_bound = [&] {
    // ||theta(mu)|| <= ||q|| / (mu + lowest eigenvalue), and the Frobenius norm bounds every eigenvalue.
    return norm(quadratic.cross) / radius + norm(quadratic.gram) + std::abs(ridge);
  };

  double mu = first_multiplier(quadratic, ridge, radius);
  for (int step = 0; step < kMostSteps; ++step) {
    double next = -1.0;
    if (!cholesky_.factor(quadratic.gram, ridge + mu)) {
      zero_refused = zero_refused || mu == 0.0;
      low = std::max(low, mu);
    } else {
      cholesky_.solve(quadratic.cross, theta_);
      const double length = norm(theta_);
      const bool interior = mu == 0.0 && length <= radius;
      if (interior || std::abs(length - radius) <= kSphereTolerance * radius) {
        multiplier_ = mu;
        if (!interior) {
          for (double& entry : theta_) entry *= radius / length;
        }
        return true;
      }
      if (length > radius) {
        zero_refused = zero_refused || mu == 0.0;
        low = std::max(low, mu);
      } else {
        high = high < 0.0 ? mu : std::min(high, mu);
      }
      // With A = Q + (ridge + mu) I: theta^T A^-1 theta and ||A^-1 theta||^2 are the first two derivatives of
      // ||theta(mu)||^2, up to constants. Newton's step falls short from the left because 1/||theta(mu)|| is concave;
      // Halley's correction by the second derivative saves a factorisation or two. It may lengthen the step twofold at
      // most: far from the root the expansion means little.
      cholesky_.solve_half(theta_, half_);
      const double first = dot(half_, half_);
      cholesky_.solve_other_half(half_, half_);
      const double second = dot(half_, half_);
      const double newton = (length / radius - 1.0) * (length * length / first);
      const double concavity = std::max(0.0, second / first - first / (length * length));
      next = mu + newton / std::max(0.5, 1.0 - 1.5 * concavity * newton);
      // From the far side the step may point below zero: the minimiser may be interior.
      if (next <= 0.0 && !zero_refused) next = 0.0;
    }
    const bool usable =
        std::isfinite(next) && (next > low || (next == 0.0 && !zero_refused)) && (high < 0.0 || next < high);
    if (!usable) {
      if (high < 0.0) high = upper_bound();
      // Between the geometric mean, quick over many orders of magnitude, and a floor that always moves.
      next = std::max(std::sqrt(low * high), low + 0.01 * (high - low));
      if (!(next > low && next < high)) return false;
    }
    mu = next;
  }
  return false;
}

void TrustRegion::by_eigenvectors(const Quadratic& quadratic, double ridge, double radius) {
  const auto d = static_cast<Eigen::Index>(quadratic.dimension);
  const Eigen::Map<const Eigen::MatrixXd> gram(quadratic.gram.data(), d, d);
  const Eigen::Map<const Eigen::VectorXd> cross(quadratic.cross.data(), d);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const double lowest = eigen.eigenvalues()[0] + ridge;
  const Eigen::VectorXd gaps = eigen.eigenvalues().array() - eigen.eigenvalues()[0];
  const Eigen::VectorXd coefficients = eigen.eigenvectors().transpose() * cross;
  const double target = radius * radius;

  // s ranges over mu >= 0 with a positive semidefinite matrix.
  double low = std::max(lowest, 0.0);
  double s = low;
  const double at_low = low > 0.0 ? squared_norm_at(gaps, coefficients, low) : std::numeric_limits<double>::infinity();
  if (!(at_low <= target)) {
    // The largest entry, because the sum of squares may underflow.
    double high = low + coefficients.cwiseAbs().maxCoeff() * std::sqrt(static_cast<double>(d)) / radius;
    // Bisection, geometric while the bounds are far apart: exact to the last bits, and a step costs only O(d).
    double floor = std::max(low, std::numeric_limits<double>::min());
    for (int step = 0; step < 2200 && floor < high; ++step) {
      const double middle = high > 4.0 * floor ? std::sqrt(floor) * std::sqrt(high) : 0.5 * (floor + high);
      if (!(middle > floor && middle < high)) break;
      (squared_norm_at(gaps, coefficients, middle) > target ? floor : high) = middle;
    }
    s = std::max(high, floor);
  }
  multiplier_ = std::max(0.0, s - lowest);

  Eigen::VectorXd solution(d);
  for (Eigen::Index i = 0; i < d; ++i) {
    solution[i] = coefficients[i] == 0.0 ? 0.0 : coefficients[i] / (gaps[i] + s);
  }
  // The hard case: with no weight on the lowest eigenvector theta(mu) stays inside the sphere for every admissible mu,
  // and the rest of the way is travelled along that eigenvector, at no cost in the stationarity condition.
  const double missing = target - solution.squaredNorm();
  if (lowest <= 0.0 && missing > 0.0) {
    const double lowest_entry = std::sqrt(missing + solution[0] * solution[0]);
    solution[0] = coefficients[0] < 0.0 ? -lowest_entry : lowest_entry;
  }
  Eigen::Map<Eigen::VectorXd>(theta_.data(), d) = eigen.eigenvectors() * solution;
}

}  // namespace rivulet::solve
