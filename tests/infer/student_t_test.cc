#include "infer/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "infer/residual_variance.h"
#include "infer/t_series.h"
#include "support/statistics.h"

namespace rivulet::infer {
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

TEST(StudentT, TheTwoMethodsMeetAndEndInTheNormalDistribution) {
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

TEST(ResidualVariance, IsTheNoisyValueWhenNoiseIsSmallAndNeverZeroWhenItIsNot) {
  EXPECT_DOUBLE_EQ(residual_variance(50.0, 0.0, 100.0).mean, 0.5);
  EXPECT_NEAR(residual_variance(50.0, 5.0, 100.0).mean, 0.5, 1e-12);
  EXPECT_NEAR(residual_variance(50.0, 5.0, 100.0).privacy_stddev, 0.05, 1e-12);
  EXPECT_EQ(residual_variance(-1e-12, 0.0, 100.0).mean, 0.0);
  // Half a normal distribution: mean sqrt(2 / pi), variance 1 - 2 / pi.
  EXPECT_NEAR(residual_variance(0.0, 100.0, 100.0).mean, std::sqrt(2.0 / std::numbers::pi), 1e-12);
  EXPECT_NEAR(residual_variance(0.0, 100.0, 100.0).privacy_stddev, std::sqrt(1.0 - 2.0 / std::numbers::pi), 1e-12);
  double last = 0.0;
  for (int tens = -500; tens <= 10; ++tens) {
    const double value = 10.0 * tens;
    const double mean = residual_variance(value, 10.0, 1.0).mean;
    EXPECT_GT(mean, last) << value;
    last = mean;
  }
}

TEST(ResidualVariance, DegreesOfFreedomAreTheRowsOwnWithoutPrivacyNoiseAndAtLeastTwoWithIt) {
  EXPECT_NEAR(effective_degrees_of_freedom(residual_variance(3.0, 0.0, 17.0), 0.2, 0.0), 17.0, 1e-12);
  EXPECT_GT(effective_degrees_of_freedom(residual_variance(3.0, 0.0, 17.0), 0.2, 1.0), 1e3);
  EXPECT_EQ(effective_degrees_of_freedom(residual_variance(0.0, 0.0, 17.0), 0.2, 1.0), kInfinity);
  for (const double value : {-1e6, -400.0, -100.0, -1.0, 0.0, 1.0}) {
    EXPECT_GT(effective_degrees_of_freedom(residual_variance(value, 10.0, 1e9), 1.0, 0.0), 1.99) << value;
  }
}

}  // namespace
}  // namespace rivulet::infer
