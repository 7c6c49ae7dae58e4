// A correction of the sketch's bias, free because the sketch is public.
//
// For a fixed theta the projection makes <Phi x, Phi theta> of <x, theta> and adds the cross-talk of all features with
// all others. It averages out in first moments, but not in squares: over the choice of Phi,
//     E sum <Phi x~, Phi theta>^2 = (1 - 1/m) theta^T G theta + ||theta||^2 tr(G) / m,    G = sum x x^T,
// which acts as a ridge of tr(G) / m that nobody asked for. What a few large eigenvalues of G contribute to it differs
// greatly from one theta to another and cannot be told from signal; what the many small ones contribute is nearly the
// same for all theta and can be taken off. They make up the bulk of the spectrum of the sketched Gram matrix S, whose
// middle is its median eigenvalue (the privacy noise is symmetric and leaves the middle where it is). So S is replaced
// by S - median I where the constraint set's own geometry controls what that leaves indefinite
// (ConstraintSet::prefers_width).
//
// Evidence, `high_dimension`'s stream (d = 4000, 10-sparse rows, Zipf frequencies, L1 ball, epsilon = 1, 2^17 rows),
// mean excess risk of 8 streams, sparse signs of weight 16:
//     m                        200      400      800
//     S                        408      208      122
//     S - median I             304      141       95
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rivulet/statistics.h"

namespace rivulet::fit {

// The median of the eigenvalues of a symmetric size x size matrix (the lower of the two middle ones when size is even),
// up to 1e-9 of the largest absolute eigenvalue. Only the diagonal and what is below it is read. Time O(size^3).
double median_eigenvalue(std::span<const double> matrix, std::size_t size);

// The sketched Gram matrix with its bulk taken off: the median is that of a leading block of 128 x 128 entries at most
// (the sketch treats all its coordinates alike), and never below 0.
std::vector<double> without_cross_talk(const Statistics& statistics);

}  // namespace rivulet::fit
