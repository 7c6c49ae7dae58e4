// What the sets know of their own faces, beyond the public interface: sections by coordinates, where to look for the
// next non-zero coordinate, and how a projection moves with the point. For the solvers over the image of a set, which
// work with a few coordinates of a huge space at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rivulet/constraint.h"

namespace rivulet::geometry {

// A matrix J, symmetric with eigenvalues between 0 and 1: a derivative of the projection, where it has one. It moves
// the `active` coordinates (ascending) and no others; on these it is
//     diag(weight) + sum over blocks of axis_b axis_b^T - normal normal^T.
struct ProjectionDerivative {
  std::vector<std::size_t> active;
  std::vector<double> weight;
  std::vector<double> normal;            // empty: none
  std::vector<double> axis;              // the axes of all blocks, one after the other; empty: no blocks
  std::vector<std::size_t> block_sizes;  // they add up to active.size()

  // out = J direction, both on the active coordinates. They must not be the same memory.
  void apply(std::span<const double> direction, std::span<double> out) const;

  static ProjectionDerivative identity(std::size_t dimension);
};

// Every set of the library but the polytope is one. The L2 ball answers as the dense sets do.
class Faces {
 public:
  virtual ~Faces() = default;

  // {v_S : v in K, v zero outside S} as a set of |S| dimensions. S: coordinates in ascending order, one at least.
  [[nodiscard]] virtual std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const = 0;

  // About `count` coordinates, those of the sparse points of K that promise most against `direction`: single
  // coordinates, or whole groups, one at least. Ascending. Empty for sets whose solutions are dense.
  [[nodiscard]] virtual std::vector<std::size_t> most_promising(std::span<const double> direction,
                                                                std::size_t count) const = 0;

  // Whether K is the convex hull of multiples of +-e_i.
  [[nodiscard]] virtual bool spanned_by_axes() const { return false; }

  // At `point`, whose projection the caller has.
  [[nodiscard]] virtual ProjectionDerivative projection_derivative(std::span<const double> point,
                                                                   std::span<const double> projection) const = 0;

 protected:
  Faces() = default;
  Faces(const Faces&) = default;
  Faces& operator=(const Faces&) = default;
};

// A polytope: every point is V^T l with l in the unit simplex.
class VertexSet {
 public:
  virtual ~VertexSet() = default;
  // Row by row, without repetitions.
  [[nodiscard]] virtual std::vector<double> vertices() const = 0;

 protected:
  VertexSet() = default;
  VertexSet(const VertexSet&) = default;
  VertexSet& operator=(const VertexSet&) = default;
};

// The indices of the `count` largest scores, or all of them, ascending; of equal scores the first.
std::vector<std::size_t> largest_scores(std::span<const double> scores, std::size_t count);
// The same by absolute value.
std::vector<std::size_t> largest_magnitudes(std::span<const double> entries, std::size_t count);
// diag(weight) - (weight normal)(weight normal)^T / (normal^T diag(weight) normal): the derivative of the projection
// onto a smooth surface with this normal, `weight` the inverse of 1 + multiplier * curvature.
ProjectionDerivative surface_derivative(std::vector<std::size_t> active, std::vector<double> weight,
                                        std::vector<double> normal);

}  // namespace rivulet::geometry
