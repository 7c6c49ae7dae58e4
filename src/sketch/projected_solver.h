// Regression in the image of a constraint set: steps "solve over Phi K" and "lift" of PrivIncReg2 (ProjPrivIncReg in
// the paper).
//
// Phi maps d coordinates to m << d. The released statistics are those of Phi x, so the model is theta in K with the
// least (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta); among all theta with the same image, the lift is the one of
// least gauge ||theta||_K. Both lie in K.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "rivulet/constraint.h"
#include "rivulet/model.h"
#include "sketch/projected_minimiser.h"
#include "sketch/projected_problem.h"
#include "sketch/projected_set.h"
#include "solve/default_solver.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {

struct ProjectedSolverOptions {
  bool regularise = true;  // as DefaultSolverOptions
  double ridge = 0.0;      // added to every diagonal entry of Q, whatever the set
};

// How well the last call did.
struct ProjectedReport {
  double objective = 0.0;    // minimise(): at the result, ridge and regularisation included
  double gap = 0.0;          // minimise(): Frank-Wolfe duality gap over K; bounds objective - minimum where Q is convex
  double gauge = 0.0;        // lift(): ||theta||_K
  double gauge_bound = 0.0;  // lift(): no theta with this image has a smaller gauge (by duality, up to rounding)
  double residual = 0.0;     // lift(): ||Phi theta - image||
  std::size_t iterations = 0;
};

// A pure function of its arguments and settings, start included. Keeps memory, no solution. One object serves one
// thread at a time.
//
// Time, m = 400, L1 ball, sparse sign embedding (`lift_bench`): minimise() and lift() together 6 to 20 ms at d = 4000
// and 20 to 35 ms at d = 100,000, with a start and without. Memory: some 20 vectors of d numbers, and m^2. Where the
// noise is so weak and K so wide that the minimiser is interior, seconds; over dense sets (boxes, L_p balls) too.
class ProjectedSolver {
 public:
  using Options = ProjectedSolverOptions;
  // Throws RequestError unless set and map fit together, the set is one that Rivulet defines and the ridge is finite
  // and 0 or more.
  ProjectedSolver(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map, Options options = {});

  // theta in K with the least objective; `quadratic` has map.rows() dimensions. `start`, a point of K near the answer
  // (that of the step before) makes it faster; empty: none. The result lies in K (contains() with tolerance 0) and
  // stays valid until the next call; it is never above the start. Where Q is convex it is within some 1e-7 of the
  // minimum (report().gap says); where it is not, finding the minimum is NP-hard, and the result is the lowest of
  // several stationary points. Over an L2 ball it is the minimum always. Throws Error as DefaultSolver::solve().
  std::span<const double> minimise(const solve::Quadratic& quadratic, const NoiseLevel& noise,
                                   std::span<const double> start = {});

  // argmin ||theta||_K subject to Phi theta = image, for an image of a point of K. `start` is such a point if the
  // caller has one, or a guess; one that proves optimal comes back as it is. A minimiser on the boundary of K is its
  // own lift. The result lies in K always; for an image outside of Phi K its image is the nearest one, and
  // report().residual says how well that fits. On the simplex, whose points all have gauge 1, the lift is any point
  // with the image. The gauge is within 1e-6 of the least, the residual below 1e-7 ||image||; as a rule 1e-9 both.
  std::span<const double> lift(std::span<const double> image, std::span<const double> start = {});

  [[nodiscard]] const ProjectedReport& report() const { return report_; }

 private:
  // Q and q in units in which K has a diameter near 1 and the larger of them is near 1, ridge and regulariser applied.
  // Returns the objective's exponent in these units, nothing where the objective is zero everywhere.
  std::optional<int> prepare(const solve::Quadratic& quadratic, const NoiseLevel& noise);
  // theta_ from a point of the scaled problem.
  void finish(std::span<const double> point);
  // Objective and gap of the prepared quadratic at a theta in K.
  MinimiserEnd evaluate(std::span<const double> theta);

  std::shared_ptr<const ConstraintSet> set_;
  std::shared_ptr<const LinearMap> map_;
  Options options_;
  ProjectedProblem problem_;
  std::optional<solve::Regulariser> regulariser_;
  std::unique_ptr<ProjectedEllipsoid> ellipsoid_;
  ProjectedMinimiser minimiser_;
  ProjectedObjective objective_;
  Lift lift_;
  std::vector<double> gram_, cross_;
  solve::Quadratic prepared_;
  std::vector<double> point_, theta_, image_;
  ProjectedReport report_;
};

}  // namespace rivulet::sketch
