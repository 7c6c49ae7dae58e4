#include <gtest/gtest.h>

#include <cmath>

#include "audit/distinguisher.h"
#include "privacy/calibration.h"
#include "support/statistics.h"

namespace rivulet::audit {
namespace {

TEST(EpsilonAtLeast, IsTheLargerOfTheTwoDirections) {
  EXPECT_NEAR(epsilon_at_least({0.01, 0.5}, 1e-6), std::log((0.5 - 1e-6) / 0.01), 1e-12);
  EXPECT_NEAR(epsilon_at_least({0.5, 0.01}, 1e-6), std::log((0.5 - 1e-6) / 0.01), 1e-12);
  EXPECT_EQ(epsilon_at_least({0.5, 0.5}, 1e-6), 0.0);
  EXPECT_EQ(epsilon_at_least({1.0, 1.0}, 1e-6), 0.0);
  EXPECT_EQ(epsilon_at_least({0.01, 0.95}, 0.2), 0.0);  // delta alone explains it
}

// Every test of N(0, 1) against N(mu, 1) has errors that prove mu, and no more epsilon than the mechanism has.
TEST(MuAtLeast, IsMuForEveryCutoffOfTheGaussianTest) {
  for (const double mu : {0.1, 1.0, 3.0}) {
    for (const double cutoff : {-1.0, 0.0, 0.5, 2.0, 4.0}) {
      const ErrorRates rates{testing::normal_cdf(-cutoff), testing::normal_cdf(cutoff - mu)};
      EXPECT_NEAR(mu_at_least(rates), mu, 1e-9);
      EXPECT_LE(epsilon_at_least(rates, 1e-6), epsilon_of_gaussian(mu, 1e-6) + 1e-9);
    }
  }
  EXPECT_EQ(mu_at_least({0.6, 0.6}), 0.0);
  EXPECT_EQ(mu_at_least({1.0, 0.0}), 0.0);
}

TEST(EpsilonOfGaussian, UndoesTheCalibration) {
  for (const double epsilon : {0.01, 0.5, 1.0, 8.0, 40.0}) {
    for (const double delta : {1e-2, 1e-6, 1e-12}) {
      EXPECT_NEAR(epsilon_of_gaussian(privacy::gaussian_mu({epsilon, delta}), delta) / epsilon, 1.0, 1e-7);
    }
  }
  EXPECT_EQ(epsilon_of_gaussian(0.0, 1e-6), 0.0);
  EXPECT_EQ(epsilon_of_gaussian(1e-9, 1e-6), 0.0);
}

}  // namespace
}  // namespace rivulet::audit
