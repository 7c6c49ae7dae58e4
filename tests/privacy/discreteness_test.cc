#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>

#include "privacy/calibration.h"

namespace rivulet::privacy {
namespace {

// log of the discrete Gaussian's normaliser, sum over k of exp(-k^2 / (2 sigma^2)), term by term.
double log_normaliser(double sigma) {
  long double sum = 0.0L;
  for (long k = -static_cast<long>(40 * sigma); k <= static_cast<long>(40 * sigma); ++k) {
    const long double ratio = static_cast<long double>(k) / static_cast<long double>(sigma);
    sum += std::exp(-ratio * ratio / 2.0L);
  }
  return static_cast<double>(std::log(sum));
}

// log of P(round(G) = z) minus log of the discrete Gaussian's P(z), G ~ N(0, sigma^2), with 300-bit tails.
double log_ratio(double sigma, double normaliser, long z) {
  mpfr_t low, high, root;
  mpfr_inits2(300, low, high, root, nullptr);
  mpfr_sqrt_ui(root, 2, MPFR_RNDN);
  mpfr_mul_d(root, root, sigma, MPFR_RNDN);
  const auto tail = [&](mpfr_t out, double at) {
    mpfr_set_d(out, at, MPFR_RNDN);
    mpfr_div(out, out, root, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
  };
  tail(low, static_cast<double>(z) - 0.5);
  tail(high, static_cast<double>(z) + 0.5);
  mpfr_sub(low, low, high, MPFR_RNDN);
  mpfr_log(low, low, MPFR_RNDN);
  const double discrete = -static_cast<double>(z) * static_cast<double>(z) / (2.0 * sigma * sigma) - normaliser;
  const double result = mpfr_get_d(low, MPFR_RNDN) - discrete;
  mpfr_clears(low, high, root, nullptr);
  return result;
}

TEST(Discreteness, RoundedAndDiscreteGaussianDifferByNoMoreThanTheStatedFactor) {
  for (double sigma : {4.0, 16.0, 64.0}) {
    const double normaliser = log_normaliser(sigma);
    for (double bound : {2.0, 4.0, 8.0, 12.0}) {
      const double eta = bound * bound / (24.0 * sigma * sigma);
      double largest = 0.0;
      for (long z = 0; z <= static_cast<long>(bound * sigma); ++z)
        largest = std::max(largest, std::abs(log_ratio(sigma, normaliser, z)));
      EXPECT_LE(largest, eta) << sigma << " " << bound;
      EXPECT_GE(largest, 0.3 * eta) << sigma << " " << bound;  // not a vacuous bound
    }
  }
}

TEST(Discreteness, ChargeGrowsWithDrawsAndFallsWithSigma) {
  const Budget budget{1.0, 1e-6};
  const Charge base = discreteness_charge(1e6, kSmallestSigma, budget);
  EXPECT_GT(discreteness_charge(1e9, kSmallestSigma, budget).epsilon, base.epsilon);
  EXPECT_LT(discreteness_charge(1e6, 2.0 * kSmallestSigma, budget).epsilon, base.epsilon);
  EXPECT_GE(base.delta, 1e-9 * budget.delta);
}

TEST(Discreteness, TheChargedTailCoversTheDraws) {
  // Recompute the promise from the charge: with the bound that belongs to it, N draws leave the bulk with probability
  // times (1 + e^(epsilon+1)) at most 1e-9 delta.
  const Budget budget{2.0, 1e-7};
  const double draws = 1e12;
  const double sigma = 0x1p40;
  const Charge charge = discreteness_charge(draws, sigma, budget);
  const double bound = std::sqrt(charge.epsilon / 2.0 / draws * 24.0) * sigma;
  EXPECT_LE(draws * 2.0 * std::exp(-bound * bound / 2.0) * (1.0 + std::exp(budget.epsilon + 1.0)),
            1.001e-9 * budget.delta);
}

}  // namespace
}  // namespace rivulet::privacy
