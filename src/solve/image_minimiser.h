// min over theta in K of (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta), Q symmetric and perhaps indefinite.
//
// Sets with sparse solutions (L1 ball, simplex, group ball, elastic net) by working sets: a few hundred columns of Phi
// at a time, on which the problem is a small dense one for AcceleratedSolver and Descent; a pass over all columns then
// shows which ones to add and how far the result may be from the minimum. Other sets by Newton's method where Q is
// positive definite (image_least_squares.h) and by Descent with products through Phi where it is not.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "solve/cholesky.h"
#include "solve/image_columns.h"
#include "solve/image_problem.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

struct MinimiserEnd {
  double objective = 0.0;
  double gap = 0.0;  // Frank-Wolfe duality gap over K
  std::size_t iterations = 0;
};

// A convex objective is minimised to a gap of 1e-8 of |objective|, or what rounding and 2000 iterations a descent
// allow. An indefinite one is descended from the start, from the point nearest to the origin, from the vertex best
// aligned with q and from the best vertices along coordinate axes among the columns looked at; the result is stationary
// and never above the start. Keeps its memory and nothing else.
class ImageMinimiser {
 public:
  // `set` must be a geometry::Faces too.
  ImageMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map);

  // theta holds the start, a point of K, and then the result, in K up to rounding. Without a start it is overwritten.
  MinimiserEnd run(const Quadratic& quadratic, bool has_start, std::span<double> theta);

  // Objective and Frank-Wolfe gap at a theta of the caller's coordinates and units.
  MinimiserEnd look(const Quadratic& quadratic, const ImageProblem& problem, std::span<const double> theta);

 private:
  // slope_ = Phi^T (Q Phi theta - q): half the gradient. Returns objective and gap at theta.
  MinimiserEnd look(const Quadratic& quadratic, std::span<const double> theta);
  MinimiserEnd look_at_image(const Quadratic& quadratic);  // of theta's image, in image_
  void first_columns(const Quadratic& quadratic, bool has_start, std::span<const double> theta);
  void add_low_axes(const Quadratic& quadratic, std::span<const double> cross);
  MinimiserEnd by_working_sets(const Quadratic& quadratic, bool has_start, std::span<double> theta);
  MinimiserEnd by_newton(const Quadratic& quadratic, std::span<double> theta);
  MinimiserEnd by_descent(const Quadratic& quadratic, bool has_start, std::span<double> theta);
  [[nodiscard]] bool certainly_convex(const Quadratic& quadratic);

  std::shared_ptr<const ConstraintSet> set_;
  std::shared_ptr<const LinearMap> map_;
  const geometry::Faces* faces_;
  bool sparse_;
  ImageColumns columns_;
  Cholesky cholesky_;
  std::vector<double> image_, product_, slope_, vertex_;
};

}  // namespace rivulet::solve
