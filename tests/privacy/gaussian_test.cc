#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>

#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

// delta(epsilon; mu) to 400 bits, straight from the definition.
double oracle_delta(double mu, double epsilon) {
  mpfr_t a, b, e, m;
  mpfr_inits2(400, a, b, e, m, nullptr);
  mpfr_set_d(m, mu, MPFR_RNDN);
  mpfr_set_d(e, epsilon, MPFR_RNDN);
  const auto normal_cdf = [](mpfr_t x) {  // Phi(x) = erfc(-x / sqrt 2) / 2, in place
    mpfr_t root;
    mpfr_init2(root, 400);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(x, x, root, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_erfc(x, x, MPFR_RNDN);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    mpfr_clear(root);
  };
  mpfr_div(a, e, m, MPFR_RNDN);
  mpfr_div_ui(b, m, 2, MPFR_RNDN);
  mpfr_add(b, b, a, MPFR_RNDN);
  mpfr_neg(b, b, MPFR_RNDN);  // -mu/2 - epsilon/mu
  mpfr_neg(a, a, MPFR_RNDN);
  mpfr_div_ui(m, m, 2, MPFR_RNDN);
  mpfr_add(a, a, m, MPFR_RNDN);  // mu/2 - epsilon/mu
  normal_cdf(a);
  normal_cdf(b);
  mpfr_exp(e, e, MPFR_RNDN);
  mpfr_mul(b, b, e, MPFR_RNDN);
  mpfr_sub(a, a, b, MPFR_RNDN);
  const double result = mpfr_get_d(a, MPFR_RNDN);
  mpfr_clears(a, b, e, m, nullptr);
  return result;
}

TEST(GaussianCalibration, HasTheReferenceSigmas) {
  const double table[][3] = {{0.1, 1e-6, 36.304690}, {0.5, 1e-6, 8.057618}, {1, 1e-5, 3.730632}, {1, 1e-6, 4.224679},
                             {1, 1e-9, 5.495266},    {2, 1e-6, 2.230476},   {8, 1e-6, 0.652935}};
  for (const auto& row : table)
    EXPECT_NEAR(1.0 / gaussian_mu({row[0], row[1]}) / row[2], 1.0, 1e-6) << row[0] << " " << row[1];
}

TEST(GaussianCalibration, IsNeverBelowTheExactSigmaAndWithinAMillionthOfIt) {
  for (double epsilon : {1e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 8.0, 20.0, 100.0}) {
    for (double delta : {0.3, 1e-2, 1e-5, 1e-6, 1e-9, 1e-15, 1e-30, 1e-100}) {
      const double mu = gaussian_mu({epsilon, delta});
      EXPECT_LE(oracle_delta(mu, epsilon), delta) << epsilon << " " << delta;
      EXPECT_GT(oracle_delta(mu * (1.0 + 1e-6), epsilon), delta) << epsilon << " " << delta;
    }
  }
}

TEST(GaussianDelta, IsAnUpperBoundAndTight) {
  for (double epsilon : {0.0, 1e-4, 0.01, 0.3, 1.0, 3.0, 10.0}) {
    for (double mu = 0.01; mu < 20.0; mu *= 1.3) {
      const double exact = oracle_delta(mu, epsilon);
      if (exact < 1e-280) continue;
      const double computed = gaussian_delta(mu, epsilon);
      EXPECT_GE(computed, exact) << mu << " " << epsilon;
      EXPECT_LE(computed, exact * (1.0 + 1e-9)) << mu << " " << epsilon;
    }
  }
}

TEST(GaussianCalibration, RefusesABudgetBelowWhatItCanResolve) {
  EXPECT_THROW(gaussian_mu({1e-13, 1e-14}), RequestError);
}

TEST(GaussianDelta, GrowsWithMuAndFallsWithEpsilon) {
  for (double mu = 0.05; mu < 5.0; mu *= 1.1) {
    EXPECT_LT(gaussian_delta(mu, 1.0), gaussian_delta(mu * 1.1, 1.0));
    EXPECT_GT(gaussian_delta(mu, 1.0), gaussian_delta(mu, 1.1));
  }
}

TEST(Budget, RefusesWhatIsNotAPromise) {
  for (double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(gaussian_mu({epsilon, 1e-6}), RequestError) << epsilon;
  }
  for (double delta : {0.0, 1.0, -1e-6, 2.0, std::nan("")})
    EXPECT_THROW(gaussian_mu({1.0, delta}), RequestError) << delta;
}

}  // namespace
}  // namespace rivulet::privacy
