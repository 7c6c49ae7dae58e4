// The few vector operations the solvers share. Four running sums, because without them a dot product waits for each
// addition in turn: floating-point sums are not reordered by the compiler.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace rivulet::solve {

inline double dot(const double* a, const double* b, std::size_t size) {
  double s0 = 0.0;
  double s1 = 0.0;
  double s2 = 0.0;
  double s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < size; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

inline double dot(std::span<const double> a, std::span<const double> b) {
  return dot(a.data(), b.data(), a.size());
}

inline double norm(std::span<const double> a) {
  return std::sqrt(dot(a, a));
}

// y += factor * x.
inline void add_multiple(double factor, const double* __restrict x, double* __restrict y, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) y[i] += factor * x[i];
}

}  // namespace rivulet::solve
