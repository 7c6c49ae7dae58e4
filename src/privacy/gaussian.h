// Exact calibration of the Gaussian mechanism.
//
// A mechanism that adds N(0, sigma^2 I) noise to something that moves by at most D in L2 between neighbours has mu = D
// / sigma
// ("mu-GDP", Dong, Roth & Su 2022) and satisfies (epsilon, delta)-DP exactly when delta >= delta(epsilon; mu),
//   delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)          (Balle & Wang 2018).
#pragma once

#include "rivulet/budget.h"

namespace rivulet::privacy {

// The formula above, rounded up: never below the true value, above it by less than 1e-9 relative for epsilon >= 1e-4.
// mu >= 0, epsilon >= 0.
double gaussian_delta(double mu, double epsilon);

// The largest mu with gaussian_delta(mu, epsilon) <= delta, rounded down (relative 1e-11). A sigma of D / mu is
// therefore never below the exact one.
double gaussian_mu(const Budget& budget);

}  // namespace rivulet::privacy
