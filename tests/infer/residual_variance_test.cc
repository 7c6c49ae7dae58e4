#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "infer/noisy_least_squares.h"

namespace rivulet::infer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
