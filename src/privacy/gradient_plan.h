// The public description of the mechanism behind PrivIncERM: sums of clipped gradients over all rows so far, each
// released with Gaussian noise, as many as the budget allows.
//
// A row contributes c x to a sum, c = phi'(<x, theta>, y) cut to the loss's Lipschitz constant. Both are integers: |c|
// <= 2^bits in units of L 2^-bits, ||x||^2 <= 2^(2 bits) in units of 2^-bits, so ||c x|| <= 2^(2 bits), and the sum
// moves by
//   zero_out: 2^(2 bits),    replace: 2 2^(2 bits)
// in L2 when a row changes, times the number of rows of a unit. A sum released with noise sigma is a Gaussian mechanism
// with mu_k = sensitivity / sigma; theta may depend on everything released before, and all of them together are one
// with mu^2 = sum mu_k^2 (Dong, Roth and Su 2022, corollary 2: exact, and adaptive).
#pragma once

#include <cstddef>
#include <cstdint>

#include "privacy/calibration.h"
#include "rivulet/budget.h"

namespace rivulet::privacy {

struct GradientRequest {
  Budget budget{1.0, 1e-6};
  Neighbours neighbours = Neighbours::replace;
  std::size_t dimension = 1;        // covariates, intercept included
  std::uint64_t rows_per_step = 1;  // release-every
  bool units = false;               // the promise is for units, not rows
  std::uint64_t rows_per_unit = 1;
  std::uint64_t most_sums = 1;  // noisy sums that will ever be released
};

class GradientPlan {
 public:
  // Throws RequestError when the request cannot be honoured.
  explicit GradientPlan(const GradientRequest& request);

  [[nodiscard]] const GradientRequest& request() const { return request_; }
  // Of the quantised rows: u = (x, y), y not scaled.
  [[nodiscard]] const LatticeLimits& limits() const { return limits_; }
  [[nodiscard]] std::int64_t coefficient_limit() const { return std::int64_t{1} << limits_.bits; }
  // Of one sum to all rows of a unit, in lattice units (2^-2bits of L). Exact.
  [[nodiscard]] double lattice_sensitivity() const { return lattice_sensitivity_; }
  // What all sums together may cost: sum mu_k^2 <= mu()^2.
  [[nodiscard]] double mu() const { return mu_; }
  [[nodiscard]] const Charge& charge() const { return charge_; }
  // The noise of a sum that costs mu_k, in lattice units, rounded up. Throws Error when mu_k is not within (0, mu()] or
  // so small that its noise cannot be drawn.
  [[nodiscard]] double sigma_for(double mu_k) const;
  // Natural value (gradient of rows in unit-ball units) of one lattice unit for a loss with this Lipschitz constant.
  [[nodiscard]] double lattice_unit(double lipschitz) const;

 private:
  GradientRequest request_;
  LatticeLimits limits_;
  double lattice_sensitivity_ = 0.0;
  double mu_ = 0.0;
  Charge charge_;
};

}  // namespace rivulet::privacy
