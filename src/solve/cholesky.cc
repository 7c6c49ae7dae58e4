#include "solve/cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/quadratic.h"

namespace rivulet::solve {
namespace {

// Above this the blocked factorisation wins; below it, its bookkeeping costs more than the arithmetic.
constexpr std::size_t kLargestSmallDimension = 48;

// Eigen cuts large products to fit the caches it finds, and with the cuts the order of its sums, so the same statistics
// would give other last digits on another processor. Sizes of our own keep the bits; before main(), so that no thread
// is using them yet. The namespace is Rivulet's (Eigen is renamed when this folder is compiled): no other program's
// Eigen is touched.
const bool caches_are_fixed = [] {
  Eigen::setCpuCacheSizes(std::ptrdiff_t{32} << 10, std::ptrdiff_t{256} << 10, std::ptrdiff_t{2} << 20);
  return true;
}();

}  // namespace

Cholesky::Cholesky(std::size_t dimension)
    : dimension_(dimension), factor_(dimension * dimension), inverse_diagonal_(dimension) {}

bool Cholesky::factor(std::span<const double> matrix, double shift) {
  const std::size_t d = dimension_;
  double largest = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    const double* from = matrix.data() + k * d;
    double* to = factor_.data() + k * d;
    for (std::size_t j = k; j < d; ++j) to[j] = from[j];
    to[k] += shift;
    largest = std::max(largest, to[k]);
  }
  const double smallest_pivot = static_cast<double>(d) * std::numeric_limits<double>::epsilon() * largest;
  return d <= kLargestSmallDimension ? factor_small(smallest_pivot) : factor_blocked(smallest_pivot);
}

bool Cholesky::factor_small(double smallest_pivot) {
  const std::size_t d = dimension_;
  for (std::size_t k = 0; k < d; ++k) {
    double* __restrict row = factor_.data() + k * d;
    const double pivot = row[k];
    if (!(pivot > smallest_pivot)) return false;
    const double inverse = 1.0 / std::sqrt(pivot);
    inverse_diagonal_[k] = inverse;
    for (std::size_t j = k; j < d; ++j) row[j] *= inverse;
    for (std::size_t i = k + 1; i < d; ++i) {
      add_multiple(-row[i], row + i, factor_.data() + i * d + i, d - i);
    }
  }
  return true;
}

bool Cholesky::factor_blocked(double smallest_pivot) {
  const auto d = static_cast<Eigen::Index>(dimension_);
  Eigen::Map<Eigen::MatrixXd> map(factor_.data(), d, d);
  Eigen::Ref<Eigen::MatrixXd> reference(map);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(reference);
  if (in_place.info() != Eigen::Success) return false;
  for (std::size_t k = 0; k < dimension_; ++k) {
    const double diagonal = factor_[k * dimension_ + k];
    if (!(diagonal * diagonal > smallest_pivot)) return false;
    inverse_diagonal_[k] = 1.0 / diagonal;
  }
  return true;
}

void Cholesky::solve_half(std::span<const double> right_side, std::span<double> out) const {
  const std::size_t d = dimension_;
  if (out.data() != right_side.data()) std::copy(right_side.begin(), right_side.end(), out.begin());
  for (std::size_t k = 0; k < d; ++k) {
    out[k] *= inverse_diagonal_[k];
    add_multiple(-out[k], factor_.data() + k * d + k + 1, out.data() + k + 1, d - k - 1);
  }
}

void Cholesky::solve(std::span<const double> right_side, std::span<double> out) const {
  solve_half(right_side, out);
  solve_other_half(out, out);
}

void Cholesky::solve_other_half(std::span<const double> right_side, std::span<double> out) const {
  const std::size_t d = dimension_;
  if (out.data() != right_side.data()) std::copy(right_side.begin(), right_side.end(), out.begin());
  if (d <= kLargestSmallDimension) {
    // By columns: strided, but each entry waits for one product instead of a whole sum.
    for (std::size_t k = d; k-- > 0;) {
      const double entry = out[k] * inverse_diagonal_[k];
      out[k] = entry;
      for (std::size_t i = 0; i < k; ++i) out[i] -= factor_[i * d + k] * entry;
    }
    return;
  }
  for (std::size_t k = d; k-- > 0;) {
    out[k] = (out[k] - dot(factor_.data() + k * d + k + 1, out.data() + k + 1, d - k - 1)) * inverse_diagonal_[k];
  }
}

void Cholesky::invert(std::span<double> out) {
  const std::size_t d = dimension_;
  if (d > kLargestSmallDimension) {
    const auto n = static_cast<Eigen::Index>(d);
    const Eigen::Map<const Eigen::MatrixXd> lower(factor_.data(), n, n);
    Eigen::Map<Eigen::MatrixXd> inverse(out.data(), n, n);
    inverse.setIdentity();
    lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
    lower.triangularView<Eigen::Lower>().transpose().solveInPlace(inverse);
    // Rounding leaves the halves apart in the last digits; the matrix promised is symmetric.
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < i; ++j) out[i * d + j] = out[j * d + i];
    }
    return;
  }
  // Rows of V = L^-1, then the lower half of V^T V, row by row as each V_k is known.
  scratch_.assign(d * d, 0.0);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < d; ++k) {
    double* row = scratch_.data() + k * d;
    for (std::size_t j = 0; j < k; ++j) add_multiple(-factor_[j * d + k], scratch_.data() + j * d, row, j + 1);
    row[k] = 1.0;
    for (std::size_t j = 0; j <= k; ++j) row[j] *= inverse_diagonal_[k];
    for (std::size_t i = 0; i <= k; ++i) add_multiple(row[i], row, out.data() + i * d, i + 1);
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) out[j * d + i] = out[i * d + j];
  }
}

bool lower_factor(std::span<const double> matrix, double shift, std::vector<double>& factor) {
  const auto m = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  factor.assign(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    double* row = factor.data() + i * m;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = factor.data() + j * m;
      row[j] = (matrix[i * m + j] - dot(row, other, j)) / other[j];
    }
    const double pivot = matrix[i * m + i] + shift - dot(row, row, i);
    if (!(pivot > 0.0)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

void multiply_lower(std::span<const double> factor, std::span<const double> v, std::span<double> out) {
  const std::size_t m = v.size();
  for (std::size_t row = 0; row < m; ++row) out[row] = dot(factor.data() + row * m, v.data(), row + 1);
}

void multiply_lower_transposed(std::span<const double> factor, std::span<const double> v, std::span<double> out) {
  const std::size_t m = v.size();
  for (double& entry : out) entry = 0.0;
  for (std::size_t row = 0; row < m; ++row) add_multiple(v[row], factor.data() + row * m, out.data(), row + 1);
}

void solve_lower(std::span<const double> factor, std::span<double> v) {
  const std::size_t m = v.size();
  for (std::size_t i = 0; i < m; ++i) {
    const double* row = factor.data() + i * m;
    v[i] = (v[i] - dot(row, v.data(), i)) / row[i];
  }
}

void solve_lower_transposed(std::span<const double> factor, std::span<double> v) {
  const std::size_t m = v.size();
  for (std::size_t i = m; i-- > 0;) {
    const double* row = factor.data() + i * m;
    v[i] /= row[i];
    add_multiple(-v[i], row, v.data(), i);
  }
}

}  // namespace rivulet::solve
