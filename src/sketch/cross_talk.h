// A correction of the sketch's bias, free because the sketch is public.
//
// For a fixed theta the projection makes <Phi x, Phi theta> of <x, theta> and adds the cross-talk of all features with
// all others. It averages out in first moments, but not in squares: over the choice of Phi,
//     E sum <Phi x~, Phi theta>^2 = (1 - 1/m) theta^T G theta + ||theta||^2 tr(G) / m,    G = sum x x^T,
// which acts as a ridge of tr(G) / m that nobody asked for. What a few large eigenvalues of G contribute to it differs
// greatly from one theta to another and cannot be told from signal; what the many small ones contribute is nearly the
// same for all theta and can be taken off. They make up the bulk of the spectrum of the sketched Gram matrix S, whose
// middle is its median eigenvalue (the privacy noise is symmetric and leaves the middle where it is). Where the
// constraint set's own geometry controls what that leaves indefinite (ConstraintSet::prefers_width), half the median is
// taken off the diagonal of S: all of it is better where rows are many (first line below) and worse where noise is
// strong (second).
//
// Evidence, sparse streams as in `high_dimension` (10-sparse rows, Zipf frequencies, L1 ball, epsilon = 1, m = 400,
// column weight 32), mean excess risk with a share of the median taken off:
//     share                           0     1/2     3/4       1
//     d = 4000, 2^17 rows           180     132     117     111    (8 streams)
//     d = 2000, 2^16 rows           171     163     186     232    (12 streams)
//     d = 32000, 2^16 rows          249     257     351       -    (8 streams)
// `high_dimension` prints the first line's setting with and without.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rivulet/model.h"

namespace rivulet::sketch {

// The median of the eigenvalues of a symmetric size x size matrix (the lower of the two middle ones when size is even),
// up to 1e-9 of the largest absolute eigenvalue. Only the diagonal and what is below it is read. Time O(size^3).
double median_eigenvalue(std::span<const double> matrix, std::size_t size);

// The sketched Gram matrix with half the median taken off its diagonal. The median is that of a leading block of 128 x
// 128 entries at most (the sketch treats all its coordinates alike), and taken as 0 when it is negative.
std::vector<double> with_less_cross_talk(const Statistics& statistics);

}  // namespace rivulet::sketch
