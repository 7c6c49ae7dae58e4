// The default solver for sets other than L2 balls: a descent that needs only the set's projection and linear
// minimisation. Its error is measured in the geometry of K, so over an L1 ball the noise costs sqrt(log d), not
// sqrt(d).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rivulet/constraint.h"
#include "solve/cholesky.h"
#include "solve/descent.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

struct AcceleratedOptions {
  // Stop when the Frank-Wolfe duality gap is below this fraction of |objective|: for a convex objective, the result is
  // then within that fraction of the minimum.
  double relative_gap = 1e-8;
  // Per descent. At this limit the best point so far is returned; report().gap says how far it may be from the minimum.
  std::size_t max_iterations = 2000;
};

// A convex objective is descended from the projection of its unconstrained minimiser, often the solution itself. When
// it is not convex (the noise made Q indefinite) finding the global minimum over a polytope is NP-hard: the solver then
// descends from several starts (the point nearest the origin, the vertex best aligned with q and the best vertices
// found along the coordinate axes) and finishes the lowest. Keeps its memory and nothing else: a result depends on the
// arguments alone.
class AcceleratedSolver {
 public:
  using Options = AcceleratedOptions;
  explicit AcceleratedSolver(std::shared_ptr<const ConstraintSet> set, Options options = {});

  // Minimises theta^T (Q + ridge I) theta - 2 q^T theta over K. The result lies in K and stays valid until the next
  // call.
  std::span<const double> solve(const Quadratic& quadratic, double ridge = 0.0);

  // Of the last solve; iterations count every descent.
  [[nodiscard]] const DescentResult& report() const { return report_; }

 private:
  bool certainly_convex(const Quadratic& quadratic, double ridge);
  // Both leave a start for the last descent in theta_.
  void start_convex(const Quadratic& quadratic);
  void choose_start(const Quadratic& quadratic, double ridge);
  void try_start(const Quadratic& quadratic, double ridge);
  // The points LMO(+-e_i) with the lowest objectives, best first.
  std::vector<std::vector<double>> best_axis_vertices(const Quadratic& quadratic, double ridge);

  std::shared_ptr<const ConstraintSet> set_;
  Options options_;
  Descent descent_;
  Cholesky cholesky_;
  std::vector<double> theta_;
  std::vector<double> candidate_;
  DescentResult report_;
};

}  // namespace rivulet::solve
