// Against formulas of other kinds and against numbers made with mpmath, to 50 digits.
#include "base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/t_series.h"

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(StudentT, TailsEqualTheFiniteSeriesOfWholeDegreesOfFreedom) {
  for (int degrees = 1; degrees <= 200; ++degrees) {
    for (const double t : {0.001, 0.1, 0.5, 1.0, 1.7, 2.0, 3.0, 4.0}) {
      const double expected = testing::two_sided_tail_by_series(t, degrees);
      EXPECT_NEAR(two_sided_tail(t, degrees), expected, 1e-12) << t << " with " << degrees;
      EXPECT_EQ(two_sided_tail(-t, degrees), two_sided_tail(t, degrees));
    }
  }
}

TEST(StudentT, FarTailsKeepTheirDigits) {
  // Cauchy: (2 / pi) atan(1 / t); two degrees of freedom: 1 - t / sqrt(t^2 + 2) = 2 / (s (s + t)), s = sqrt(t^2 + 2).
  for (const double t : {10.0, 1e3, 1e6, 1e12, 1e100, 1e200}) {
    const double cauchy = 2.0 / std::numbers::pi * std::atan(1.0 / t);
    EXPECT_NEAR(two_sided_tail(t, 1.0) / cauchy, 1.0, 1e-10) << t;
    if (t > 1e100) continue;
    const double s = std::sqrt(t * t + 2.0);
    EXPECT_NEAR(two_sided_tail(t, 2.0) / (2.0 / s / (s + t)), 1.0, 1e-10) << t;
  }
  EXPECT_EQ(two_sided_tail(kInfinity, 3.0), 0.0);
  EXPECT_EQ(two_sided_tail(0.0, 3.0), 1.0);
}

TEST(StudentT, ManyDegreesOfFreedomEndInTheNormalDistribution) {
  for (const double t : {0.1, 1.0, 2.0, 5.0, 9.0}) {
    EXPECT_NEAR(two_sided_tail(t, 1e6 + 1.0) / two_sided_tail(t, 1e6 - 1.0), 1.0, 5e-9)
        << t;  // t^4 / 2e12 of it is real
    EXPECT_NEAR(two_sided_tail(t, 1e14) / std::erfc(t / std::sqrt(2.0)), 1.0, 1e-10) << t;
    EXPECT_NEAR(two_sided_tail(t, kInfinity) / std::erfc(t / std::sqrt(2.0)), 1.0, 1e-13);
  }
}

TEST(StudentT, QuantilesAreThoseOfPrintedTables) {
  // Abramowitz and Stegun, table 26.10, and the normal distribution.
  EXPECT_NEAR(two_sided_quantile(0.05, 1.0), 12.706, 5e-4);
  EXPECT_NEAR(two_sided_quantile(0.05, 5.0), 2.571, 5e-4);
  EXPECT_NEAR(two_sided_quantile(0.01, 10.0), 3.169, 5e-4);
  EXPECT_NEAR(two_sided_quantile(0.1, 30.0), 1.697, 5e-4);
  EXPECT_NEAR(two_sided_quantile(0.05, 120.0), 1.980, 5e-4);
  EXPECT_NEAR(two_sided_quantile(0.05, kInfinity), 1.959963984540054, 1e-12);
  EXPECT_EQ(two_sided_quantile(1.0, 4.0), 0.0);
}

TEST(StudentT, QuantilesInvertTails) {
  for (const double degrees : {0.7, 2.0, 3.3, 30.0, 1e4, 1e8, kInfinity}) {
    for (const double tail : {0.999, 0.5, 0.1, 0.01, 1e-6, 1e-15}) {
      const double t = two_sided_quantile(tail, degrees);
      EXPECT_NEAR(two_sided_tail(t, degrees) / tail, 1.0, 1e-9) << tail << " with " << degrees;
    }
  }
}

TEST(StudentT, EqualsReferenceNumbers) {
  EXPECT_NEAR(two_sided_tail(1.3, 2.5) / 0.30048678927070825, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_tail(4.0, 7.25) / 0.0048298630805803382, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_tail(8.5, 33.3) / 7.4538140340489371e-10, 1.0, 1e-12);
  EXPECT_NEAR(two_sided_tail(3.0, 1000.0) / 0.0027667090442381925, 1.0, 1e-12);
  EXPECT_NEAR(two_sided_tail(6.0, 123456.5) / 1.9786446469265185e-9, 1.0, 1e-11);
  EXPECT_NEAR(two_sided_quantile(0.05, 2.5) / 3.5746548420036832, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_quantile(1e-4, 7.25) / 7.6630738167366337, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_quantile(0.31, 33.3) / 1.0309378034076746, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_quantile(0.01, 1000.0) / 2.5807546980659511, 1.0, 1e-13);
  EXPECT_NEAR(two_sided_quantile(1e-12, 1.5) / 82853912.596827309, 1.0, 1e-12);
}

TEST(StudentT, NothingThrows) {
  for (const double odd : {0.0, -1.0, std::nan(""), kInfinity, 1e-320, 1e308}) {
    for (const double other : {0.0, 0.5, 1.0, 2.0, 1e308, kInfinity, std::nan("")}) {
      EXPECT_NO_THROW(two_sided_tail(odd, other));
      EXPECT_NO_THROW(two_sided_tail(other, odd));
      EXPECT_NO_THROW(two_sided_quantile(odd, other));
      EXPECT_NO_THROW(two_sided_quantile(other, odd));
      EXPECT_NO_THROW(standard_normal_quantile(odd));
    }
  }
}

TEST(StandardNormalQuantile, EqualsReferenceNumbers) {
  EXPECT_NEAR(standard_normal_quantile(1e-12), -7.0344838253011319, 1e-13);
  EXPECT_NEAR(standard_normal_quantile(0.001), -3.0902323061678135, 1e-14);
  EXPECT_NEAR(standard_normal_quantile(0.025), -1.9599639845400542, 1e-14);
  EXPECT_NEAR(standard_normal_quantile(0.4), -0.2533471031357998, 1e-15);
  EXPECT_NEAR(standard_normal_quantile(0.9999), 3.7190164854556806, 1e-12);  // 0.9999 itself is rounded
}

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

TEST(LargestProbability, EqualsReferenceNumbersRoundedUp) {
  const auto expect = [](std::uint64_t successes, std::uint64_t trials, double alpha, double reference) {
    const double p = largest_probability(successes, trials, alpha);
    EXPECT_GE(p, reference) << successes << " of " << trials;
    EXPECT_LE(p, reference * (1.0 + 2e-9)) << successes << " of " << trials;
  };
  expect(3, 10, 0.05, 0.60662421610541343);
  expect(0, 50, 0.025, 0.071121736464197662);
  expect(17, 200, 1e-6, 0.21274966582087193);
  expect(499, 1000, 1e-9, 0.59347596554516904);
  expect(2, 100000, 1e-4, 0.00013927339959135918);
}

}  // namespace
}  // namespace rivulet
