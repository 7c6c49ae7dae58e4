// The distribution of the norm of a standard normal vector.
#pragma once

#include <cstddef>

namespace rivulet::geometry {

// log P(||g||_2 <= t) for g standard normal in `degrees` dimensions, t > 0. The probability has relative error below
// 1e-13 (1 + degrees/1e3), and so has its complement where that is the smaller of the two. Time: up to some
// 6 sqrt(degrees) additions and divisions.
double log_chi_probability(std::size_t degrees, double t);

}  // namespace rivulet::geometry
