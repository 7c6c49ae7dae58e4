// The noisy least-squares objective behind the wall: theta^T Q theta - 2 q^T theta, up to a constant the loss of the
// stream.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace rivulet::solve {

// The few vector operations the solvers share. Four running sums, because without them a dot product waits for each
// addition in turn: floating-point sums are not reordered by the compiler.

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

// A view: the caller owns the memory. `gram` is a dense symmetric dimension x dimension matrix (both halves filled).
// Because of the privacy noise it may be indefinite.
struct Quadratic {
  std::size_t dimension = 0;
  std::span<const double> gram;
  std::span<const double> cross;

  // theta^T Q theta - 2 q^T theta.
  [[nodiscard]] double value(std::span<const double> theta) const;
  // out = Q theta.
  void multiply(std::span<const double> theta, std::span<double> out) const;
  // out = 2 (Q theta - q): the paper's private gradient function g_t.
  void gradient(std::span<const double> theta, std::span<double> out) const;
};

}  // namespace rivulet::solve
