// How far one row can move the joint release M = sum u u^T, u = (x, s y), in L2 (Frobenius) norm.
#pragma once

#include <cstdint>

#include "rivulet/budget.h"

namespace rivulet::privacy {

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

}  // namespace rivulet::privacy
