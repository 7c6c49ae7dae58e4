// Logistic regression from private moments: a parabola in place of the loss.
//
// log(1 + e^-m) = log 2 - m / 2 + e(m), m = y <x, theta>, and e is even. With c m^2 for e the sum over all rows is
//   n log 2 - <q, theta> / 2 + c theta^T Q theta,    Q = sum x x^T, q = sum x y (y^2 = 1),
// which is minimised where theta^T Q theta - 2 <q / (4 c), theta> is: least squares with the targets times 1 / (4 c).
// No row has to be kept, and everything that holds for private least squares (constant memory, refitting, unknown
// horizons) holds for it.
//
// c is that of the best parabola (least squares over |m| <= margin, with a constant term): 1/8 for margins near 0, less
// for larger ones, because e grows like |m| / 2. The minimiser is biased: it is that of another loss. Signs of
// predictions and their order hardly change with c, which scales theta; log-odds do (docs/losses.md has figures).
#pragma once

namespace rivulet::fit {

// Throws RequestError naming "margin" unless 0 <= margin <= 100.
double surrogate_curvature(double margin);

}  // namespace rivulet::fit
