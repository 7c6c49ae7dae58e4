// min over theta in K of (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta), Q symmetric and perhaps indefinite: by
// working sets of columns, by least squares, by descent, and for L2 balls in closed form.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "sketch/projected_problem.h"
#include "solve/accelerated.h"
#include "solve/cholesky.h"
#include "solve/quadratic.h"
#include "solve/trust_region.h"

namespace rivulet::sketch {

// A few columns of Phi and the quadratic they see: Phi_S^T Q Phi_S, grown column by column.
class WorkingColumns {
 public:
  // The map stays the caller's.
  explicit WorkingColumns(const LinearMap& map) : map_(&map) {}

  // Forgets all columns; `quadratic`, in the image's dimensions, must outlive their use.
  void reset(const solve::Quadratic& quadratic);
  // Those of them it does not hold yet; returns how many that are.
  std::size_t add(std::span<const std::size_t> coordinates);

  // Ascending.
  [[nodiscard]] std::span<const std::size_t> coordinates() const { return sorted_; }
  // theta_S^T (Phi_S^T Q Phi_S) theta_S - 2 (Phi_S^T q)^T theta_S, coordinates ascending; valid until the next call.
  solve::Quadratic restricted();
  // v_S of a point given by its non-zero coordinates (ascending, all held) and their values.
  void gather(std::span<const std::size_t> support, std::span<const double> values, std::span<double> part) const;
  // v_S of a point of all coordinates, and back, zero elsewhere.
  void gather(std::span<const double> theta, std::span<double> part) const;
  void scatter(std::span<const double> part, std::span<double> theta) const;

 private:
  struct Column {
    std::size_t coordinate = 0;
    std::vector<double> entries;    // dense, or the non-zero ones
    std::vector<std::size_t> rows;  // of the non-zero entries; empty: dense
    std::vector<double> product;    // Q column
    std::vector<double> gram;       // <column, product of those held before and itself>
    double cross = 0.0;             // <column, q>

    [[nodiscard]] double dot_with(std::span<const double> v) const;
  };

  const LinearMap* map_;
  solve::Quadratic quadratic_;
  std::vector<Column> columns_;        // in order of arrival
  std::vector<std::size_t> sorted_;    // coordinates, ascending
  std::vector<std::size_t> position_;  // sorted_[k] is columns_[position_[k]]
  std::vector<double> gram_;
  std::vector<double> cross_;
};

// Minimising over Phi K for sets with sparse solutions (L1 ball, simplex, group ball, elastic net): a few hundred
// columns of Phi at a time, on which the problem is a small dense one for AcceleratedSolver and Descent;
// a pass over all columns then shows which to add and how far the result may be from the minimum.
//
// A convex objective is minimised to a gap of 1e-8 of |objective|, or what rounding and 2000 iterations a descent
// allow. An indefinite one is descended from the start, from the point nearest to the origin, from the vertex best
// aligned with q and from the best vertices along coordinate axes, each with columns of its own; the lowest is
// finished. Keeps its memory and nothing else.
class WorkingSet {
 public:
  // Set, which must be a geometry::Faces too, and map stay the caller's. A set of any kind may be taken whole: with up
  // to kAllColumns columns all of them are the working set.
  WorkingSet(const ConstraintSet& set, const LinearMap& map);
  static constexpr std::size_t kAllColumns = 256;

  // theta holds the start, a point of K, and then the result, in K up to rounding. Without a start it is overwritten.
  MinimiserEnd run(const solve::Quadratic& quadratic, bool convex, bool has_start, std::span<double> theta);

 private:
  // A point by its non-zero coordinates.
  struct Candidate {
    std::vector<std::size_t> support;
    std::vector<double> values;
    double objective = 0.0;
  };

  void first_columns(bool convex, bool has_start, std::span<const double> theta);
  void add_low_axes(std::span<const double> cross);
  // Beyond this many columns those of zero coordinates are dropped.
  [[nodiscard]] std::size_t most_columns() const;
  // How many promising points to ask for around a point with this support.
  [[nodiscard]] std::size_t more_for(std::size_t support) const;
  // Columns that promise most at the point looked at last; returns how many are new, some at least if it insists.
  std::size_t add_promising(std::size_t count, bool insist);
  // part_ and face_ for the columns at hand.
  void rebuild();
  // Descends from small_ within the working set.
  solve::DescentResult descend(double relative_gap, std::size_t most_iterations);
  [[nodiscard]] Candidate candidate_at(std::span<const double> part) const;
  std::size_t from_the_dense_solver(bool has_start, std::span<double> theta);
  std::size_t from_several_starts(bool has_start, std::span<double> theta);
  [[nodiscard]] std::vector<Candidate> starts(bool has_start, std::span<const double> theta);
  MinimiserEnd finish(std::span<double> theta);

  const geometry::Faces* faces_;
  const ConstraintSet* set_;
  const LinearMap* map_;
  bool whole_;
  solve::Quadratic quadratic_;
  ProjectedObjective objective_;
  WorkingColumns columns_;
  solve::Quadratic part_;
  std::shared_ptr<const ConstraintSet> face_;
  std::unique_ptr<solve::Descent> descent_;
  std::vector<double> small_;
};

// Sets with sparse solutions by working sets. Other sets by Newton's method where Q is positive definite
// (projected_least_squares.h) and by Descent with products through Phi where it is not. Up to 256 columns are taken as
// a dense problem whatever the set.
//
// A convex objective is minimised to a gap of 1e-8 of |objective|, or what rounding allows. An indefinite one is
// descended from several starts to a stationary point. Keeps its memory and nothing else.
class ProjectedMinimiser {
 public:
  // `set` must be a geometry::Faces too.
  ProjectedMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map);

  // theta holds the start, a point of K, and then the result, in K up to rounding. Without a start it is overwritten.
  MinimiserEnd run(const solve::Quadratic& quadratic, bool has_start, std::span<double> theta);

 private:
  MinimiserEnd by_newton(const solve::Quadratic& quadratic, std::span<double> theta);
  MinimiserEnd by_descent(const solve::Quadratic& quadratic, bool has_start, std::span<double> theta);
  [[nodiscard]] bool certainly_convex(const solve::Quadratic& quadratic);

  std::shared_ptr<const ConstraintSet> set_;
  std::shared_ptr<const LinearMap> map_;
  ProjectedObjective objective_;
  WorkingSet working_set_;
  solve::Cholesky cholesky_;
  bool by_columns_ = false;
};

// The image of an L2 ball is an ellipsoid: {L w : ||w|| <= R} with L L^T = Phi Phi^T, and the point of the ball with
// image L w and the least norm is Phi^T L^-T w, of norm ||w||. So both steps are closed forms in m dimensions.
class ProjectedEllipsoid {
 public:
  // Null where the rows of Phi are linearly dependent to working precision, as they are when m > d. Time O(d m^2), for
  // sparse columns O(d c^2 + m^3).
  static std::unique_ptr<ProjectedEllipsoid> make(const LinearMap& map);

  // theta = the minimiser of the objective over the ball; the global one, also where Q is indefinite.
  void minimise(const solve::Quadratic& quadratic, double radius, std::span<double> theta);
  // The point of the ball of this radius with the image nearest to the given one; of the least norm, where several are.
  // Returns the least norm a point with exactly this image has.
  double lift(std::span<const double> image, double radius, std::span<double> theta);

 private:
  ProjectedEllipsoid(const LinearMap& map, std::vector<double> factor);
  // theta = Phi^T L^-T w.
  void from_ball(std::span<const double> w, std::span<double> theta) const;

  const LinearMap* map_;
  std::vector<double> factor_;
  solve::TrustRegion trust_region_;
};

}  // namespace rivulet::sketch
