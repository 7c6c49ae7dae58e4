// An independent minimiser of J over K, slow and sure: it looks at values alone, so that it does for kinked losses as
// for smooth ones.
#pragma once

#include <vector>

#include "erm/gradient_sources.h"
#include "rivulet/constraint.h"

namespace rivulet::testing {

// The lowest J found on a grid around the best point so far, each grid narrower than the last; for two dimensions. A
// grid reaches six cells from its centre to each side of the next, so that a convex J cannot lose its minimum.
inline double grid_minimum(const ExactGradients& source, const ConstraintSet& set, double ridge) {
  constexpr int kCells = 8;
  double half = set.diameter();
  std::vector<double> centre{0.0, 0.0};
  set.project(centre);
  double best = source.risk(centre, ridge);
  for (int round = 0; round < 90 && half > 1e-10; ++round) {
    std::vector<double> found = centre;
    for (int i = -kCells; i <= kCells; ++i) {
      for (int j = -kCells; j <= kCells; ++j) {
        std::vector<double> point{centre[0] + half * i / kCells, centre[1] + half * j / kCells};
        set.project(point);
        const double value = source.risk(point, ridge);
        if (value < best) {
          best = value;
          found = point;
        }
      }
    }
    centre = found;
    half *= 0.75;
  }
  return best;
}

}  // namespace rivulet::testing
