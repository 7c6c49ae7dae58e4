// (Phi theta)^T Q (Phi theta) - 2 q^T (Phi theta) over K, looked at from one point at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "rivulet/constraint.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

struct MinimiserEnd {
  double objective = 0.0;
  double gap = 0.0;  // Frank-Wolfe duality gap over K
  std::size_t iterations = 0;
};

// A direction in which Q bends down, or least up: power iterations on (bound I - Q) from a fixed start, about the
// lowest eigenvector.
std::vector<double> low_direction(const Quadratic& quadratic);

// Keeps its memory and nothing else. Set and map stay the caller's.
class ImageObjective {
 public:
  ImageObjective(const ConstraintSet& set, const LinearMap& map);

  // Objective and gap at theta: one pass over the columns.
  MinimiserEnd look(const Quadratic& quadratic, std::span<const double> theta);
  // The same for a point of K known by its image.
  MinimiserEnd look_at_image(const Quadratic& quadratic, std::span<const double> image);
  // Of the last look: Phi^T (Q Phi theta - q), half the gradient.
  [[nodiscard]] std::span<const double> slope() const { return slope_; }

 private:
  const ConstraintSet* set_;
  const LinearMap* map_;
  std::vector<double> image_, product_, slope_, vertex_;
};

}  // namespace rivulet::solve
