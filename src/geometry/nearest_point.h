// The point of a convex hull nearest to a given one: Wolfe's minimum-norm-point method (Mathematical Programming 11,
// 1976).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rivulet::geometry {

// Vertices row by row, in units in which the largest entry is between 1/2 and 1.
struct Hull {
  std::size_t dimension = 0;
  std::vector<double> entries;

  [[nodiscard]] std::size_t count() const { return dimension == 0 ? 0 : entries.size() / dimension; }
  [[nodiscard]] std::span<const double> vertex(std::size_t j) const {
    return std::span(entries).subspan(j * dimension, dimension);
  }
};

struct NearestPoint {
  std::vector<double> point;
  // From the point to the given one, more exact than their difference: cleared of rounding along the face of the point.
  std::vector<double> residual;
  double distance = 0.0;  // the residual's length
};

// Keeps a few affinely independent vertices with positive weights, whose combination is nearest among all of their
// affine hull; adds the vertex that promises most, drops the ones whose weights would turn negative, and ends when no
// vertex promises anything beyond rounding. Every addition brings the point strictly nearer, which is checked, so that
// no set of vertices comes twice and the search ends; should rounding ever defeat the check, it gives up after 1000 +
// 20 (d + n) additions with a point of the hull all the same.
//
// Error: <from - point, v - point> is at most some 1e-14 |from - point| for every vertex v, also in hulls that are
// flat, thin or have vertices that nearly coincide (3e-15 was the largest over 1e5 such cases). That puts the point
// within some 1e-14 of the nearest one where the faces meet at fair angles, within 1e-14 / angle^2 in general. The
// caller must bring points nearer than 1e150. For points beyond 1e15 only entries in which the tied vertices agree
// exactly are told from rounding: an answer is then that for a point which differs by a relative 1e-15. Time: a step
// takes O(n d + k d) for k vertices kept, O(k^2 d) when one is dropped; about as many steps as the answer needs
// vertices. Memory: O(k d).
NearestPoint nearest_point(const Hull& hull, std::span<const double> from);

}  // namespace rivulet::geometry
