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
#include "solve/quadratic.h"

namespace rivulet::solve {

// Monotone accelerated projected gradient descent over any constraint set, from a given start to a stationary point:
// FISTA with adaptive restart (Beck and Teboulle; O'Donoghue and Candes), the curvature learnt by backtracking,
// finished by Frank-Wolfe steps with exact line search.
struct DescentResult {
  double objective = 0.0;
  // Frank-Wolfe duality gap: max over v in K of <gradient, theta - v>. Bounds objective - minimum when the objective is
  // convex; zero exactly at stationary points always.
  double gap = 0.0;
  std::size_t iterations = 0;
};

// The objective theta^T Q theta - 2 q^T theta as a descent needs it.
class QuadraticOperator {
 public:
  virtual ~QuadraticOperator() = default;
  // out = Q theta.
  virtual void multiply(std::span<const double> theta, std::span<double> out) const = 0;
  // q.
  [[nodiscard]] virtual std::span<const double> cross() const = 0;
  // The curvature along some coordinate, the largest if that is cheap to know: where a descent begins to learn it.
  [[nodiscard]] virtual double first_curvature() const = 0;

 protected:
  QuadraticOperator() = default;
  QuadraticOperator(const QuadraticOperator&) = default;
  QuadraticOperator& operator=(const QuadraticOperator&) = default;
};

// One product with Q an iteration, over the non-zero entries of the iterate only: extrapolated points reuse the
// products of their two ends. Keeps its memory between calls and nothing else: a result depends on the arguments alone.
class Descent {
 public:
  explicit Descent(std::shared_ptr<const ConstraintSet> set);

  // Descends from theta, which must lie in K, on theta^T (Q + ridge I) theta - 2 q^T theta, until the gap is at most
  // relative_gap * |objective| or the iterations are spent. The objective never rises; theta stays in K.
  DescentResult run(const Quadratic& quadratic, double ridge, double relative_gap, std::size_t max_iterations,
                    std::span<double> theta);
  // The same for an objective that is no matrix; without a ridge.
  DescentResult run(const QuadraticOperator& objective, double relative_gap, std::size_t max_iterations,
                    std::span<double> theta);

 private:
  [[nodiscard]] double value(std::span<const double> point, std::span<const double> image) const;
  // Sets vertex_ to the Frank-Wolfe vertex at theta_ and returns the gap there.
  double find_gap();
  // theta_ to the exact minimiser on the segment to vertex_. False when that gains nothing.
  bool frank_wolfe_step(DescentResult& result);
  // From the extrapolated point in ahead_: a projected gradient step to trial_, its curvature checked, raised where too
  // low.
  void gradient_step();

  std::shared_ptr<const ConstraintSet> set_;
  const QuadraticOperator* operator_ = nullptr;
  std::span<const double> cross_;
  double curvature_ = 0.0;  // estimate of the largest eigenvalue along the steps taken

  std::vector<double> theta_, theta_image_;
  std::vector<double> previous_, previous_image_;
  std::vector<double> ahead_, ahead_image_;
  std::vector<double> trial_, trial_image_;
  std::vector<double> vertex_, slope_;
};

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
