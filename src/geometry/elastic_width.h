// The Gaussian width of the elastic net.
#pragma once

#include <cstddef>

namespace rivulet::geometry {

// An upper bound on E sup <v, g> over A ||v||_1 + (1 - A) ||v||_2^2 <= 1, 0 < A < 1. Exact for d = 1 and in both limits
// of A; at most 2% above the truth for every d and A tried (docs/constraints.md). Time: some 30 milliseconds.
//
// By duality sup <v, g> = min over m > 0 of m + sum_i (|g_i| - A m)+^2 / (4 (1 - A) m). A minimum of expectations
// bounds the expectation of the minimum; taken after the largest |g_i| is known, when the others are independent normal
// variables cut off there, little is lost. The bound never exceeds the width of the L2 ball around the set.
double elastic_ball_width(std::size_t dimension, double l1_share);

}  // namespace rivulet::geometry
