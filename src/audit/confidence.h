// From counted errors of a test between two neighbouring streams to what they prove about privacy.
#pragma once

namespace rivulet::audit {

// Upper bounds on the errors of one test of "the first stream" against "the second": false_alarm for saying second when
// it is the first, miss for the opposite.
struct ErrorRates {
  double false_alarm = 1.0;
  double miss = 1.0;
};

// If a test with these errors exists, no mechanism that is (epsilon, delta)-private for a smaller epsilon published
// what it looked at: P2[S] <= e^epsilon P1[S] + delta for S = "it says second", and the same for its complement with
// the streams exchanged. Nothing is assumed about the mechanism. At least 0.
double epsilon_at_least(const ErrorRates& rates, double delta);

// The same for Gaussian privacy (Dong, Roth and Su 2022): a mu-GDP mechanism lets no test have errors with
//   Phi^-1(1 - false_alarm) - Phi^-1(miss) > mu.
// At least 0.
double mu_at_least(const ErrorRates& rates);

// The smallest epsilon at which a mu-GDP mechanism has this delta (privacy/gaussian.h), to 1e-9 relative.
double epsilon_of_gaussian(double mu, double delta);

}  // namespace rivulet::audit
