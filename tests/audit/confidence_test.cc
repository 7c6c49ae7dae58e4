#include "audit/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/gaussian.h"
#include "support/statistics.h"

namespace rivulet::audit {
namespace {

// P(at most k of n), added up term by term.
double at_most(std::uint64_t k, std::uint64_t n, double p) {
  long double sum = 0.0L;
  for (std::uint64_t i = 0; i <= k; ++i) {
    const long double log_term = std::lgamma(static_cast<long double>(n + 1)) -
                                 std::lgamma(static_cast<long double>(i + 1)) -
                                 std::lgamma(static_cast<long double>(n - i + 1)) +
                                 static_cast<long double>(i) * std::log(static_cast<long double>(p)) +
                                 static_cast<long double>(n - i) * std::log1p(-static_cast<long double>(p));
    sum += std::exp(log_term);
  }
  return static_cast<double>(sum);
}

TEST(LargestProbability, IsWhereSoFewSuccessesHaveProbabilityAlpha) {
  for (const double alpha : {0.05, 1e-4, 1e-9, 1e-13}) {
    for (const std::uint64_t n : {1ULL, 2ULL, 10ULL, 100ULL, 5000ULL}) {
      for (const std::uint64_t k : {0ULL, 1ULL, 3ULL, 9ULL, 60ULL, 99ULL, 2500ULL, 4990ULL}) {
        if (k >= n) continue;
        const double p = largest_probability(k, n, alpha);
        EXPECT_LE(at_most(k, n, p), alpha * (1.0 + 1e-6)) << k << " of " << n;
        EXPECT_GE(at_most(k, n, p * (1.0 - 1e-6)), alpha * (1.0 - 1e-6)) << k << " of " << n;
      }
    }
  }
}

TEST(LargestProbability, HasKnownValuesAtTheEnds) {
  EXPECT_EQ(largest_probability(7, 7, 0.01), 1.0);
  EXPECT_NEAR(largest_probability(0, 1000, 1e-6), 1.0 - std::pow(1e-6, 1e-3), 1e-9);
  // n - 1 successes: 1 - p^n = alpha.
  EXPECT_NEAR(largest_probability(999, 1000, 1e-3), std::pow(1.0 - 1e-3, 1e-3), 1e-8);
}

TEST(LargestProbability, HoldsForMillionsOfTrials) {
  // The normal approximation with its next term, good to a few parts in 10^4 of the distance at these counts.
  const double n = 4e6;
  for (const double rate : {0.5, 0.1, 0.01}) {
    const double z = 5.997807;  // upper 1e-9 point
    const double p = largest_probability(static_cast<std::uint64_t>(rate * n), static_cast<std::uint64_t>(n), 1e-9);
    const double distance = z * std::sqrt(rate * (1.0 - rate) / n) + (z * z * (1.0 - 2.0 * rate) / 3.0 + 0.5) / n;
    EXPECT_NEAR((p - rate) / distance, 1.0, 0.01) << rate;
  }
}

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
