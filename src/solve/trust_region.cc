#include "solve/trust_region.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/vector_math.h"

namespace rivulet::solve {
namespace {

// Newton's method may stop this close: the point is then moved onto the sphere, where its objective differs from the
// minimum only by the square of this.
constexpr double kSphereTolerance = 1e-8;
constexpr int kMostNewtonSteps = 25;

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
  if (!newton(quadratic, ridge, radius)) by_eigenvectors(quadratic, ridge, radius);
  return theta_;
}

// False when the multiplier was not found; theta_ then holds nothing of use.
bool TrustRegion::newton(const Quadratic& quadratic, double ridge, double radius) {
  double low = 0.0;    // the multiplier is at least this
  double high = -1.0;  // and at most this; negative until one is known
  bool zero_refused = false;
  const auto upper_bound = [&] {
    // ||theta(mu)|| <= ||q|| / (mu + lowest eigenvalue), and the Frobenius norm bounds every eigenvalue.
    return norm(quadratic.cross) / radius + norm(quadratic.gram) + std::abs(ridge);
  };

  double mu = multiplier_;
  for (int step = 0; step < kMostNewtonSteps; ++step) {
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
      cholesky_.solve_half(theta_, half_);
      const double slope = dot(half_, half_);
      next = mu + (length / radius - 1.0) * (length * length / slope);
      // From the far side Newton's step may point below zero: the minimiser may be interior.
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
