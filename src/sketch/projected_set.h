// The geometry of Phi K. The gauge of an image is the least gauge of the points it may come from, and to find that
// point is step "lift" of PrivIncReg2: argmin ||theta||_K subject to Phi theta = image.
//
// Newton's method on the Pareto curve (van den Berg and Friedlander, SIAM J. Scientific Computing 31, 2008): with
// phi(gamma) the distance of the image from gamma Phi K, the least gauge is the root of phi, and the Newton step from a
// gamma below it is the bound <image, u> / h_K(Phi^T u) that the residual u there proves. So gamma rises from below,
// every gamma is a proven bound, and for polyhedra the last step is exact.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "rivulet/constraint.h"
#include "sketch/projected_least_squares.h"

namespace rivulet::sketch {

struct LiftEnd {
  double gauge_bound = 0.0;
  bool beyond = false;  // the image is outside of most * Phi K: theta's image is the nearest to it there
  std::size_t steps = 0;
};

class Lift {
 public:
  // As ProjectedLeastSquares. Multiples of the set must grow with the factor, at least in their images.
  Lift(const ConstraintSet& set, const LinearMap& map);

  // theta holds a guess, perhaps zero; it need not lie in the set. `most` bounds the gauge of the result. Numbers of
  // ordinary size, as for ProjectedLeastSquares.
  LiftEnd run(std::span<const double> image, double most, std::span<double> theta);
  // Only the point of the set with the nearest image, from a guess (zero: none); returns the steps taken.
  std::size_t nearest(std::span<const double> image, std::span<double> theta);

 private:
  // The bound that the image itself proves: the first Newton step, from gamma = 0.
  double first_bound(std::span<const double> image);
  // ||Phi theta - image||
  double distance(std::span<const double> image, std::span<const double> theta);
  void bring_into(double gamma, std::span<double> theta) const;

  const ConstraintSet* set_;
  const LinearMap* map_;
  WorkingLeastSquares least_squares_;
  std::vector<double> slope_, vertex_, trial_, residual_;
};

// Phi K as a constraint set in m dimensions, for NoisyProjGrad over it: projection by least squares over K, linear
// minimisation by Phi * LMO_K(Phi^T direction), gauge by the lift. Membership is decided up to 1e-9 diameters. The
// diameter is exact for L1 balls, simplices and polytopes, elsewhere an upper bound, as the width is. Its name cannot
// be parsed. Throws RequestError as ProjectedSolver.
std::unique_ptr<ConstraintSet> make_projected_set(std::shared_ptr<const ConstraintSet> set,
                                                  std::shared_ptr<const LinearMap> map);

}  // namespace rivulet::sketch
