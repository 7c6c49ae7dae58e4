// The closed forms of a BLT, written once over a scalar type: double for figures, a dual number for the designer's
// gradients. All sums have positive terms and all differences are of gaps, so there is no cancellation near decay 1.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace rivulet::strategy {

// (1 - r^count) / (1 - r) for r = (1-a)(1-b), from the gaps a and b; count may be infinite.
template <typename Scalar>
Scalar geometric_sum(const Scalar& a, const Scalar& b, double count) {
  using std::expm1;
  using std::log1p;
  const Scalar gap = a + b - a * b;
  if (std::isinf(count)) return Scalar(1.0) / gap;
  return -expm1((log1p(-a) + log1p(-b)) * Scalar(count)) / gap;
}

// omega_j = prod_l (theta_j - y_l) / prod_{l != j} (theta_j - theta_l). Swapping the arguments gives the inverse's.
template <typename Scalar>
std::vector<Scalar> blt_omega(const std::vector<Scalar>& theta_gap, const std::vector<Scalar>& inverse_gap) {
  const std::size_t k = theta_gap.size();
  std::vector<Scalar> omega;
  omega.reserve(k);
  for (std::size_t j = 0; j < k; ++j) {
    Scalar product = inverse_gap[j] - theta_gap[j];
    for (std::size_t l = 0; l < k; ++l) {
      if (l != j) product = product * (inverse_gap[l] - theta_gap[j]) / (theta_gap[l] - theta_gap[j]);
    }
    omega.push_back(product);
  }
  return omega;
}

// beta_0 = prod_j theta_gap_j / inverse_gap_j and beta_j = -omega_hat_j / inverse_gap_j, all positive.
template <typename Scalar>
std::vector<Scalar> blt_beta(const std::vector<Scalar>& theta_gap, const std::vector<Scalar>& inverse_gap) {
  const std::vector<Scalar> inverse_omega = blt_omega(inverse_gap, theta_gap);
  std::vector<Scalar> beta(1, Scalar(1.0));
  for (std::size_t j = 0; j < theta_gap.size(); ++j) {
    beta[0] = beta[0] * (theta_gap[j] / inverse_gap[j]);
    beta.push_back(-inverse_omega[j] / inverse_gap[j]);
  }
  return beta;
}

// ||C||^2 = 1 + sum_{jl} omega_j omega_l (1 - (theta_j theta_l)^(n-1)) / (1 - theta_j theta_l).
template <typename Scalar>
Scalar blt_column_norm_squared(const std::vector<Scalar>& theta_gap, const std::vector<Scalar>& omega, double steps) {
  Scalar sum(1.0);
  for (std::size_t j = 0; j < omega.size(); ++j) {
    for (std::size_t l = 0; l < omega.size(); ++l) {
      sum = sum + omega[j] * omega[l] * geometric_sum(theta_gap[j], theta_gap[l], steps - 1.0);
    }
  }
  return sum;
}

// sum_{i<t} b_i^2 with b_i = beta_0 + sum_j beta_j y_j^i.
template <typename Scalar>
Scalar blt_prefix_variance(const std::vector<Scalar>& inverse_gap, const std::vector<Scalar>& beta, double step) {
  Scalar sum = beta[0] * beta[0] * Scalar(step);
  const Scalar no_gap(0.0);
  for (std::size_t j = 0; j < inverse_gap.size(); ++j) {
    sum = sum + Scalar(2.0) * beta[0] * beta[j + 1] * geometric_sum(inverse_gap[j], no_gap, step);
    for (std::size_t l = 0; l < inverse_gap.size(); ++l) {
      sum = sum + beta[j + 1] * beta[l + 1] * geometric_sum(inverse_gap[j], inverse_gap[l], step);
    }
  }
  return sum;
}

}  // namespace rivulet::strategy
