// ImageLeastSquares for sets with sparse solutions in huge dimensions: on a few hundred coordinates at a time. A pass
// over all columns then tells how far the result may be from that over the whole set, and which coordinates to add.
// Other sets, and small dimensions, are taken whole.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "solve/column_map.h"
#include "solve/image_least_squares.h"

namespace rivulet::solve {

class WorkingLeastSquares {
 public:
  // As ImageLeastSquares.
  WorkingLeastSquares(const ConstraintSet& set, const LinearMap& map);

  // Forgets the coordinates that earlier runs found useful, and sets the factor of ImageLeastSquares. Without this in
  // between, runs on similar problems are faster, and their results depend on those before.
  void begin(std::span<const double> factor = {});

  // The same as ImageLeastSquares, about the whole set.
  LeastSquaresEnd run(std::span<const double> target, double gamma, double gap_fraction, double gap_floor,
                      std::span<double> theta);
  double fit_freely(std::span<const double> target, std::span<double> theta);

 private:
  void add(std::vector<std::size_t> coordinates);
  // face_, columns_ and part_ for coordinates_.
  void rebuild();
  // slope_ = -A^T u; returns h_K(A^T u).
  double support_of(std::span<const double> dual);

  const ConstraintSet* set_;
  const geometry::Faces* faces_;
  const LinearMap* map_;
  bool whole_;
  std::span<const double> factor_;
  std::vector<std::size_t> coordinates_;  // ascending
  std::unique_ptr<ConstraintSet> face_;
  std::unique_ptr<ColumnMap> columns_;
  std::unique_ptr<ImageLeastSquares> part_;
  std::vector<double> slope_, vertex_, small_, image_;
};

}  // namespace rivulet::solve
