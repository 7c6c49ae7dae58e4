// Output perturbation (Chaudhuri, Monteleoni and Sarwate 2011): how far a minimiser can move when rows change, for the
// minimiser that is computed and not for the exact one.
//
//   J(theta) = sum over n rows of phi(<x, theta>, y) + n (nu / 2) ||theta||^2   over ||theta|| <= R,   nu > 0.
//
// The exact minimiser moves by at most f L / (n nu), f the rows that change (twice that for replace), L the Lipschitz
// constant of phi over [-R, R]. What the kernel computes is T steps of
//   theta <- P(theta - h grad J(theta)),   h = 1 / (n (nu + beta / 2)),   from theta = 0,
// beta the smoothness of phi, P the projection onto the ball. A step brings any two points nearer to one another by the
// factor a = beta / (beta + 2 nu), whatever the rows. Other rows move its result by h f L at most, and rounding moves
// each of two results by e at most. So two runs over neighbouring rows end no further apart than
//   sum over t < T of a^t (h f L + 2 e)  <=  (1 - a^T) f L / (n nu) + 2 e / (1 - a),
// for every T: that the minimum is reached is a matter of accuracy, not of privacy. T, a and e are known before the
// first row. docs/privacy.md, "A noisy minimiser", has the proofs.
//
// e adds up, with u = 2^-52, twice the unit of rounding:
//   a row:       beta times the rounding of a prediction, u d R; the derivative's own, u (beta (2 R + 1) + 32 L)
//                (loss/library_loss.h); its truncation to a multiple of 2^-46 L; sums of such multiples are exact;
//   the update:  16 u (R + L / (nu + beta / 2));
//   P:           (d + 8) u R.
#pragma once

#include <cstddef>
#include <cstdint>

#include "privacy/gradient_plan.h"
#include "rivulet/loss.h"

namespace rivulet::privacy {

// Derivatives are integers in units of 2^-46 of the Lipschitz constant.
inline constexpr int kMinimiserBits = 46;

struct MinimiserProblem {
  std::size_t dimension = 1;
  double rows = 1.0;        // n
  double radius = 1.0;      // R
  double lipschitz = 1.0;   // L, not below the exact one
  double smoothness = 0.0;  // beta, not below the exact one, a little beyond R either
  double ridge = 0.0;       // nu

  // Of a loss of the library. Throws RequestError naming "loss" unless it is smooth over the ball, "ridge" and
  // "constraint" unless they are between 1e-100 and 1e100.
  static MinimiserProblem of(const Loss& loss, std::size_t dimension, double rows, double radius, double ridge);

  // A step is theta_i <- keep theta_i - move S_i, S the sum of integer derivatives times integer rows; then P. keep is
  // a.
  [[nodiscard]] double keep() const { return smoothness / (smoothness + 2.0 * ridge); }
  [[nodiscard]] double move(unsigned row_bits) const;

  // e / (1 - a), rounded up: how far rounding takes any number of steps from where they would lead.
  [[nodiscard]] double rounding() const;
  // How far T computed steps move when the rows of one unit change, rounded up. `plan` knows f.
  [[nodiscard]] double sensitivity(const GradientPlan& plan, std::uint64_t iterations) const;
  // The natural value of a lattice unit such that the result truncated to the lattice moves by at most
  // plan.lattice_sensitivity() units. Rounded up.
  [[nodiscard]] double lattice_unit(const GradientPlan& plan, std::uint64_t iterations) const;
  // T for noise of mu: so many that they end within 1/64 of a coordinate's noise from the minimum, at most `most`.
  [[nodiscard]] std::uint64_t iterations(const GradientPlan& plan, double mu, std::uint64_t most) const;
};

}  // namespace rivulet::privacy
