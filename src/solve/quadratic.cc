#include "solve/quadratic.h"

#include <algorithm>

namespace rivulet::solve {

double Quadratic::value(std::span<const double> theta) const {
  double curvature = 0.0;
  for (std::size_t i = 0; i < dimension; ++i) {
    if (theta[i] != 0.0) curvature += theta[i] * dot(gram.data() + i * dimension, theta.data(), dimension);
  }
  return curvature - 2.0 * dot(cross, theta);
}

void Quadratic::multiply(std::span<const double> theta, std::span<double> out) const {
  // By rows, which symmetry makes columns: zero entries of theta cost nothing, and solutions over an L1 ball are
  // sparse.
  std::fill(out.begin(), out.end(), 0.0);
  std::size_t pending[4] = {};
  std::size_t count = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    if (theta[i] == 0.0) continue;
    pending[count++] = i;
    if (count < 4) continue;
    // Four rows at a time read and write `out` a quarter as often.
    const double* __restrict a = gram.data() + pending[0] * dimension;
    const double* __restrict b = gram.data() + pending[1] * dimension;
    const double* __restrict c = gram.data() + pending[2] * dimension;
    const double* __restrict e = gram.data() + pending[3] * dimension;
    const double ta = theta[pending[0]];
    const double tb = theta[pending[1]];
    const double tc = theta[pending[2]];
    const double te = theta[pending[3]];
    double* __restrict sum = out.data();
    for (std::size_t j = 0; j < dimension; ++j) sum[j] += (ta * a[j] + tb * b[j]) + (tc * c[j] + te * e[j]);
    count = 0;
  }
  for (std::size_t k = 0; k < count; ++k) {
    add_multiple(theta[pending[k]], gram.data() + pending[k] * dimension, out.data(), dimension);
  }
}

void Quadratic::gradient(std::span<const double> theta, std::span<double> out) const {
  multiply(theta, out);
  for (std::size_t i = 0; i < dimension; ++i) out[i] = 2.0 * (out[i] - cross[i]);
}

}  // namespace rivulet::solve
