// The exact global minimiser of theta^T (Q + ridge I) theta - 2 q^T theta over a Euclidean ball. The objective may be
// indefinite: over a ball its minimum is still characterised exactly (Gay; More and Sorensen), by a multiplier mu >= 0
// with
//   (Q + (ridge + mu) I) theta = q,   Q + (ridge + mu) I positive semidefinite,   mu (||theta|| - radius) = 0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solve/cholesky.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

// Keeps its memory and nothing else: a result depends on the arguments alone. When the minimiser is interior a call is
// one Cholesky factorisation and two triangular solves; on the sphere it is one factorisation for each step of Halley's
// method on the secular equation 1/||theta(mu)|| = 1/radius: two or three as a rule, five to ten where the matrix is
// indefinite. Where that stalls (the hard case, q orthogonal to the lowest eigenvectors) an eigendecomposition settles
// it: slower, allocates, rare.
//
// Accuracy: the objective is within 1e-11 of its scale (||Q|| radius^2 + ||q|| radius) of the global minimum; ||theta||
// may exceed the radius by rounding, which the caller removes by projecting.
class TrustRegion {
 public:
  explicit TrustRegion(std::size_t dimension);

  // The result stays valid until the next call. Entries of the quadratic must be finite, radius positive.
  std::span<const double> solve(const Quadratic& quadratic, double ridge, double radius);

  // mu of the last call: 0 for an interior minimiser.
  [[nodiscard]] double multiplier() const { return multiplier_; }

 private:
  double first_multiplier(const Quadratic& quadratic, double ridge, double radius);
  bool by_secular_equation(const Quadratic& quadratic, double ridge, double radius);
  void by_eigenvectors(const Quadratic& quadratic, double ridge, double radius);

  Cholesky cholesky_;
  std::vector<double> theta_;
  std::vector<double> half_;
  double multiplier_ = 0.0;
};

}  // namespace rivulet::solve
