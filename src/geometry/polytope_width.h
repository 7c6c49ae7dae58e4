// The Gaussian width of a convex hull.
#pragma once

#include "geometry/nearest_point.h"

namespace rivulet::geometry {

// E max_j <v_j, g>, never above the bound R sqrt(2 ln n) for n vertices of norm R at most. Exact, to a few units of
// rounding, for two vertices and on a line. Otherwise the mean over 16 shifted copies of a low-discrepancy sequence
// (the same on every call), continued until the standard error estimated from the copies is below 0.1%, or until 2e9
// multiplications are spent, a second or two; at least 1024 draws. Only hulls of some 1e5 numbers and more reach that
// limit; 1024 independent draws would have a standard error below R / 32.
double hull_width(const Hull& hull);

}  // namespace rivulet::geometry
