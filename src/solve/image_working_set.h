// Minimising over Phi K for sets with sparse solutions (L1 ball, simplex, group ball, elastic net): a few hundred
// columns of Phi at a time, on which the problem is a small dense one for AcceleratedSolver and Descent; a pass over
// all columns then shows which to add and how far the result may be from the minimum.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "solve/descent.h"
#include "solve/image_columns.h"
#include "solve/image_objective.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

// A convex objective is minimised to a gap of 1e-8 of |objective|, or what rounding and 2000 iterations a descent
// allow. An indefinite one is descended from the start, from the point nearest to the origin, from the vertex best
// aligned with q and from the best vertices along coordinate axes, each with columns of its own; the lowest is
// finished. Keeps its memory and nothing else.
class ImageWorkingSet {
 public:
  // Set, which must be a geometry::Faces too, and map stay the caller's. A set of any kind may be taken whole: with up
  // to kAllColumns columns all of them are the working set.
  ImageWorkingSet(const ConstraintSet& set, const LinearMap& map);
  static constexpr std::size_t kAllColumns = 256;

  // theta holds the start, a point of K, and then the result, in K up to rounding. Without a start it is overwritten.
  MinimiserEnd run(const Quadratic& quadratic, bool convex, bool has_start, std::span<double> theta);

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
  DescentResult descend(double relative_gap, std::size_t most_iterations);
  [[nodiscard]] Candidate candidate_at(std::span<const double> part) const;
  std::size_t from_the_dense_solver(bool has_start, std::span<double> theta);
  std::size_t from_several_starts(bool has_start, std::span<double> theta);
  [[nodiscard]] std::vector<Candidate> starts(bool has_start, std::span<const double> theta);
  MinimiserEnd finish(std::span<double> theta);

  const geometry::Faces* faces_;
  const ConstraintSet* set_;
  const LinearMap* map_;
  bool whole_;
  Quadratic quadratic_;
  ImageObjective objective_;
  ImageColumns columns_;
  Quadratic part_;
  std::shared_ptr<const ConstraintSet> face_;
  std::unique_ptr<Descent> descent_;
  std::vector<double> small_;
};

}  // namespace rivulet::solve
