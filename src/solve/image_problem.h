// K and Phi in the units and coordinates the solvers over Phi K work in: the set scaled by a power of two to a diameter
// between 1 and 2, and a polytope as the unit simplex of its vertices' weights.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "rivulet/constraint.h"

namespace rivulet::solve {

// Multiplies by 2^exponent, whatever the exponent.
void times_power(int exponent, std::span<double> entries);

struct ImageProblem {
  // Throws RequestError where set and map do not fit together, or for a set that is not one of the library's.
  ImageProblem(const std::shared_ptr<const ConstraintSet>& set, const std::shared_ptr<const LinearMap>& map);

  // The image, in the scaled set's units, of a theta in K.
  void image_of(std::span<const double> theta, std::span<double> image) const;
  // theta of the caller's from a point of `set`.
  void to_caller(std::span<const double> point, std::span<double> theta) const;
  // A point of `set` from a theta in K; false where there is none at hand (a polytope's weights).
  bool from_caller(std::span<const double> theta, std::span<double> point) const;

  std::shared_ptr<const LinearMap> phi;      // the caller's map
  int exponent = 0;                          // K is 2^exponent times the scaled set
  double diameter = 1.0;                     // of the scaled K
  std::shared_ptr<const ConstraintSet> set;  // geometry::Faces too
  std::shared_ptr<const LinearMap> map;      // of its dimension
  std::vector<double> vertices;              // of the scaled polytope; empty for other sets
  bool grows = true;                         // (1 + a) Phi K contains Phi K: everything but the simplex itself
};

}  // namespace rivulet::solve
