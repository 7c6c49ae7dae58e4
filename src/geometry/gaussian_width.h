// Gaussian widths w(K) = E sup_{v in K} <v, g> of the unit sets, g standard normal in the given dimension. The noise a
// set lets through is governed by its width: sqrt(d) for the L2 ball, sqrt(2 log d) for the L1 ball.
#pragma once

#include <cstddef>
#include <span>

namespace rivulet::geometry {

// E ||g||_2 = sqrt(2) Gamma((d+1)/2) / Gamma(d/2). Relative error below 1e-12 for every d >= 1.
double l2_ball_width(std::size_t dimension);

// E max_i |g_i|, by quadrature of the tail probability. Relative error below 1e-9, checked for d up to 1e6; some 1,600
// evaluations of erfc, whatever the dimension.
double l1_ball_width(std::size_t dimension);

// E max_i g_i, in the same way. Error below 1e-9; 0 for d = 1.
double simplex_width(std::size_t dimension);

// E ||g||_q, 2 < q < infinity: the width of the L_p ball with 1/p + 1/q = 1. By a double quadrature; relative error
// below 1e-9, checked for d up to 1e6 and q from 2 + 1e-9 to 1e15. Some 5e5 evaluations of erfc: about 20 milliseconds.
double expected_norm(std::size_t dimension, double q);

// E max over groups of ||g_group||_2 for groups of these sizes, by quadrature of the product of chi distributions.
// Relative error below 1e-9, checked for up to 1e6 groups and groups of up to 1e6. Time: some 2,000 incomplete gamma
// functions for each different size.
double group_ball_width(std::span<const std::size_t> sizes);

// An upper bound on E sup <v, g> over A ||v||_1 + (1 - A) ||v||_2^2 <= 1, 0 < A < 1. Exact for d = 1 and in both limits
// of A; at most 2% above the truth for every d and A tried (docs/constraints.md). Time: some 30 milliseconds.
//
// By duality sup <v, g> = min over m > 0 of m + sum_i (|g_i| - A m)+^2 / (4 (1 - A) m). A minimum of expectations
// bounds the expectation of the minimum; taken after the largest |g_i| is known, when the others are independent normal
// variables cut off there, little is lost. The bound never exceeds the width of the L2 ball around the set.
double elastic_ball_width(std::size_t dimension, double l1_share);

}  // namespace rivulet::geometry
