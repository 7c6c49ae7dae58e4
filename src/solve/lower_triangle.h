// Cholesky factors that are used as matrices, not only to solve: the sums are in a fixed order, so that results are the
// same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "solve/vector_math.h"

namespace rivulet::solve {

// Writes L with L L^T = matrix + shift I (dense, symmetric), row by row with zeros above the diagonal. False when a
// pivot is not positive.
inline bool lower_factor(std::span<const double> matrix, double shift, std::vector<double>& factor) {
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

// out = L v.
inline void multiply_lower(std::span<const double> factor, std::span<const double> v, std::span<double> out) {
  const std::size_t m = v.size();
  for (std::size_t row = 0; row < m; ++row) out[row] = dot(factor.data() + row * m, v.data(), row + 1);
}

// out = L^T v.
inline void multiply_lower_transposed(std::span<const double> factor, std::span<const double> v,
                                      std::span<double> out) {
  const std::size_t m = v.size();
  for (double& entry : out) entry = 0.0;
  for (std::size_t row = 0; row < m; ++row) add_multiple(v[row], factor.data() + row * m, out.data(), row + 1);
}

// v becomes L^-1 v.
inline void solve_lower(std::span<const double> factor, std::span<double> v) {
  const std::size_t m = v.size();
  for (std::size_t i = 0; i < m; ++i) {
    const double* row = factor.data() + i * m;
    v[i] = (v[i] - dot(row, v.data(), i)) / row[i];
  }
}

// v becomes L^-T v.
inline void solve_lower_transposed(std::span<const double> factor, std::span<double> v) {
  const std::size_t m = v.size();
  for (std::size_t i = m; i-- > 0;) {
    const double* row = factor.data() + i * m;
    v[i] /= row[i];
    add_multiple(-v[i], row, v.data(), i);
  }
}

}  // namespace rivulet::solve
