// Convex hulls of given points: the nearest point, the Gaussian width, and what the polytope and its text share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
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

// The point of the hull nearest to a given one: Wolfe's minimum-norm-point method (Mathematical Programming 11, 1976).
//
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

// E max_j <v_j, g>, never above the bound R sqrt(2 ln n) for n vertices of norm R at most. Exact, to a few units of
// rounding, for two vertices and on a line. Otherwise the mean over 16 shifted copies of a low-discrepancy sequence
// (the same on every call), continued until the standard error estimated from the copies is below 0.1%, or until 2e9
// multiplications are spent, a second or two; at least 1024 draws. Only hulls of some 1e5 numbers and more reach that
// limit; 1024 independent draws would have a standard error below R / 32.
double hull_width(const Hull& hull);

constexpr std::size_t kMostPolytopeNumbers = 1'000'000;

// Why these rows are not the vertices of a polytope that can be used; empty when they are.
std::string polytope_fault(std::size_t dimension, std::span<const double> vertices);

}  // namespace rivulet::geometry
