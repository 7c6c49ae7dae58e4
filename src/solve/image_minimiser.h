// min over theta in K of (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta), Q symmetric and perhaps indefinite.
//
// Sets with sparse solutions by working sets (image_working_set.h). Other sets by Newton's method where Q is positive
// definite (image_least_squares.h) and by Descent with products through Phi where it is not. Up to 256 columns are
// taken as a dense problem whatever the set.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/linear_map.h"
#include "rivulet/constraint.h"
#include "solve/cholesky.h"
#include "solve/image_objective.h"
#include "solve/image_working_set.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

// A convex objective is minimised to a gap of 1e-8 of |objective|, or what rounding allows. An indefinite one is
// descended from several starts to a stationary point. Keeps its memory and nothing else.
class ImageMinimiser {
 public:
  // `set` must be a geometry::Faces too.
  ImageMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map);

  // theta holds the start, a point of K, and then the result, in K up to rounding. Without a start it is overwritten.
  MinimiserEnd run(const Quadratic& quadratic, bool has_start, std::span<double> theta);

 private:
  MinimiserEnd by_newton(const Quadratic& quadratic, std::span<double> theta);
  MinimiserEnd by_descent(const Quadratic& quadratic, bool has_start, std::span<double> theta);
  [[nodiscard]] bool certainly_convex(const Quadratic& quadratic);

  std::shared_ptr<const ConstraintSet> set_;
  std::shared_ptr<const LinearMap> map_;
  ImageObjective objective_;
  ImageWorkingSet working_set_;
  Cholesky cholesky_;
  bool by_columns_ = false;
};

}  // namespace rivulet::solve
