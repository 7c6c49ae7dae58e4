// What it costs that the noise is a discrete Gaussian and not a continuous one.
//
// Rounding commutes with integer shifts: for integer y and G ~ N(0, sigma^2), round(y + G) = y + round(G). A mechanism
// with noise round(G) is thus a post-processing of the continuous Gaussian mechanism. The discrete Gaussian's
// probabilities p(z) and those q(z) of round(G) differ by a factor e^(+-eta) wherever |z| <= bound * sigma, with
//   eta = bound^2 / (24 sigma^2)     (sigma >= 2^20, bound >= 2),
// and |z| > bound * sigma has probability at most 2 exp(-bound^2/2) under p and hardly more under q. Over N draws:
//   epsilon = epsilon' + 2 N eta,    delta = e^(N eta) delta' + (1 + e^(epsilon' + N eta)) N tail.
// docs/privacy.md, "Discrete noise", has the proof.
#pragma once

#include "rivulet/budget.h"

namespace rivulet::privacy {

// What is set aside from the budget before the Gaussian calibration.
struct Charge {
  double epsilon = 0.0;
  double delta = 0.0;
  // The bound of the argument above, in units of sigma: the charge is valid only while bound * sigma is representable.
  double bound = 0.0;
};

inline constexpr double kSmallestSigma = 1048576.0;  // 2^20 lattice units
// Draws of this size and more are redrawn (kernel/discrete_gaussian.h).
inline constexpr double kLargestDraw = 4611686018427387904.0;  // 2^62
inline constexpr double kLargestSigma = 144115188075855872.0;  // 2^57: draws stay within 62 bits at any realistic tail

// The charge for `draws` independent draws, each with sigma >= `smallest_sigma` lattice units (at least
// kSmallestSigma). Its delta part is 1e-9 * budget.delta while N eta is negligible. Where N eta is not below 1/2 the
// charge is infinite.
Charge discreteness_charge(double draws, double smallest_sigma, const Budget& budget);

}  // namespace rivulet::privacy
