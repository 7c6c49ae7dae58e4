// Linear programs solved by Clp, for the lift over polyhedra.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "sketch/dense_map.h"

namespace rivulet::sketch {

// min <cost, x> subject to A x = right_side, low <= x <= high; NaN where Clp finds no optimum.
double linear_program(const DenseMap& matrix, std::span<const double> cost, std::span<const double> right_side,
                      std::span<const double> low, std::span<const double> high);

// The least gauges, from the definitions of the sets:
// min ||theta||_1 / radius with Phi theta = image,
double least_l1_gauge(const LinearMap& map, std::span<const double> image, double radius);
// min sum of weights >= 0 of vertices (row by row) with that image,
double least_hull_gauge(const LinearMap& map, std::span<const double> image, std::span<const double> vertices);
// min t with low t <= theta_i <= high t.
double least_box_gauge(const LinearMap& map, std::span<const double> image, double low, double high);

}  // namespace rivulet::sketch
