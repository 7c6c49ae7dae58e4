// What PrivIncReg2 solves behind the wall, as the solvers over Phi K see it: set and map in good units, and the
// objective.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "rivulet/constraint.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {

// Multiplies by 2^exponent, whatever the exponent.
void times_power(int exponent, std::span<double> entries);

// K and Phi in the units and coordinates the solvers over Phi K work in: the set scaled by a power of two to a diameter
// between 1 and 2, and a polytope as the unit simplex of its vertices' weights.
struct ProjectedProblem {
  // Throws RequestError where set and map do not fit together, or for a set that is not one of the library's.
  ProjectedProblem(const std::shared_ptr<const ConstraintSet>& set, const std::shared_ptr<const LinearMap>& map);

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

struct MinimiserEnd {
  double objective = 0.0;
  double gap = 0.0;  // Frank-Wolfe duality gap over K
  std::size_t iterations = 0;
};

// A direction in which Q bends down, or least up: power iterations on (bound I - Q) from a fixed start, about the
// lowest eigenvector.
std::vector<double> low_direction(const solve::Quadratic& quadratic);

// (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta) over K, at one point after another. Keeps its memory and nothing
// else. Set and map stay the caller's.
class ProjectedObjective {
 public:
  ProjectedObjective(const ConstraintSet& set, const LinearMap& map);

  // Objective and gap at theta: one pass over the columns.
  MinimiserEnd evaluate(const solve::Quadratic& quadratic, std::span<const double> theta);
  // The same for a point of K known by its image.
  MinimiserEnd evaluate_image(const solve::Quadratic& quadratic, std::span<const double> image);
  // At the last point: Phi^T (Q Phi theta - q), half the gradient.
  [[nodiscard]] std::span<const double> slope() const { return slope_; }

 private:
  const ConstraintSet* set_;
  const LinearMap* map_;
  std::vector<double> image_, product_, slope_, vertex_;
};

}  // namespace rivulet::sketch
