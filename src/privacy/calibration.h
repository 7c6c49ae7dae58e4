// How much noise a release needs: how far a row moves it, the exact Gaussian calibration, and what it costs that the
// noise is discrete.
#pragma once

#include <cstdint>

#include "rivulet/budget.h"

namespace rivulet::privacy {

// How far one row can move the joint release M = sum u u^T, u = (x, s y), in L2 (Frobenius) norm.
//
// The integer limits every quantised row satisfies: ||x||^2 <= 2^(2 bits) and |s y| <= target_limit, in units of
// 2^-bits. The kernel checks both in integer arithmetic; everything below rests on that check alone.
struct LatticeLimits {
  unsigned bits = 15;
  std::int64_t target_limit = 0;  // floor(s 2^bits)

  [[nodiscard]] std::int64_t covariate_norm_squared() const { return std::int64_t{1} << (2 * bits); }
  // Largest ||u||^2.
  [[nodiscard]] std::int64_t norm_squared() const { return covariate_norm_squared() + target_limit * target_limit; }
  // s, exactly as used.
  [[nodiscard]] double target_scale() const;
};

// Joint release, isotropic noise. ||u u^T||_F = ||u||^2, and ||u u^T - v v^T||_F^2 = ||u||^4 + ||v||^4 - 2 <u,v>^2, so
//   zero_out: max ||u||^2,    replace: sqrt(2) max ||u||^2.
// In units of the squared lattice (2^-2bits). Rounded up.
double joint_sensitivity(const LatticeLimits& limits, Neighbours neighbours);

// The pair (sum x x^T, sum x y) under equal noise on both, |y| <= 1, ||x|| <= 1, as profile `paper` releases it:
//   replace:  max over c = <x,x'> of 2 - 2c^2 + 2 + 2|c| = 9/2 at |c| = 1/2;    zero_out: 1 + 1.
// Square root of that, in natural units.
double paper_pair_sensitivity(Neighbours neighbours);

// The s that minimises the predicted gradient noise for a solution of norm `diameter`:
//   (1 + s^2)^2 (diameter^2 + 1/s^2) is least at s^2 = (sqrt(1 + 8 diameter^2) - 1) / (4 diameter^2); kept within [1/4,
//   1].
double target_scale_for(double diameter);

// Exact calibration of the Gaussian mechanism.
//
// A mechanism that adds N(0, sigma^2 I) noise to something that moves by at most D in L2 between neighbours has mu = D
// / sigma
// ("mu-GDP", Dong, Roth & Su 2022) and satisfies (epsilon, delta)-DP exactly when delta >= delta(epsilon; mu),
//   delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)          (Balle & Wang 2018).
//
// The formula above, rounded up: never below the true value, above it by less than 1e-9 relative for epsilon >= 1e-4.
// mu >= 0, epsilon >= 0.
double gaussian_delta(double mu, double epsilon);

// The largest mu with gaussian_delta(mu, epsilon) <= delta, rounded down (relative 1e-11). A sigma of D / mu is
// therefore never below the exact one.
double gaussian_mu(const Budget& budget);

// What it costs that the noise is a discrete Gaussian and not a continuous one.
//
// Rounding commutes with integer shifts: for integer y and G ~ N(0, sigma^2), round(y + G) = y + round(G). A mechanism
// with noise round(G) is thus a post-processing of the continuous Gaussian mechanism. The discrete Gaussian's
// probabilities p(z) and those q(z) of round(G) differ by a factor e^(+-eta) wherever |z| <= bound * sigma, with
//   eta = bound^2 / (24 sigma^2)     (sigma >= 2^20, bound >= 2),
// and |z| > bound * sigma has probability at most 2 exp(-bound^2/2) under p and hardly more under q. Over N draws:
//   epsilon = epsilon' + 2 N eta,    delta = e^(N eta) delta' + (1 + e^(epsilon' + N eta)) N tail.
// docs/privacy.md, "Discrete noise", has the proof.
//
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
