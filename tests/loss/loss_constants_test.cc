// Constants against the functions they bound: never exceeded, and attained.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "loss/every_loss.h"
#include "rivulet/loss.h"

namespace rivulet {
namespace {

const double kRadii[] = {1e-3, 0.2, 0.7, 1.0, 1.5, 3.0, 20.0, 800.0};

TEST(LossConstants, NoComputedDerivativeIsAboveTheLipschitzConstantNotEvenInItsLastDigit) {
  std::mt19937_64 generator(41);
  for (const auto& loss : testing::every_loss()) {
    for (const double radius : kRadii) {
      const double lipschitz = loss->lipschitz(radius);
      double largest = 0.0;
      for (int trial = 0; trial < 20000; ++trial) {
        // Half of the points within a few roundings of the end, where the largest derivatives are.
        double p = testing::random_prediction(radius, generator);
        if (trial % 2 == 0) p = std::copysign(radius * (1.0 - static_cast<double>(generator() % 8) * 0x1p-53), p);
        largest = std::max(largest, std::abs(loss->derivative(p, testing::random_target(*loss, generator))));
      }
      EXPECT_LE(largest, lipschitz) << loss->name() << " " << radius;
      EXPECT_GE(largest, 0.99 * lipschitz) << loss->name() << " " << radius;
    }
  }
}

TEST(LossConstants, HoldForTargetsInsideTheUnitIntervalToo) {
  std::mt19937_64 generator(42);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const auto& loss : testing::every_loss()) {
    for (int trial = 0; trial < 20000; ++trial) {
      const double radius = kRadii[generator() % 8];
      EXPECT_LE(std::abs(loss->derivative(testing::random_prediction(radius, generator), unit(generator))),
                loss->lipschitz(radius))
          << loss->name() << " " << radius;
    }
  }
}

TEST(LossConstants, SmoothnessAndStrongConvexityEncloseTheGrowthOfDerivativesAndAreAttained) {
  std::mt19937_64 generator(43);
  for (const auto& loss : testing::every_loss()) {
    for (const double radius : {0.2, 0.7, 1.0, 1.5, 3.0, 20.0}) {
      const double smoothness = loss->smoothness(radius);
      const double strong = loss->strong_convexity(radius);
      double fastest = 0.0;
      double slowest = HUGE_VAL;
      for (int trial = 0; trial < 40000; ++trial) {
        const double y = testing::random_target(*loss, generator);
        const double step = 1e-3 * radius;
        const double p = std::clamp(testing::random_prediction(radius, generator), -radius, radius - step);
        const double growth = (loss->derivative(p + step, y) - loss->derivative(p, y)) / step;
        fastest = std::max(fastest, growth);
        slowest = std::min(slowest, growth);
      }
      EXPECT_LE(fastest, smoothness * (1.0 + 1e-9) + 1e-9) << loss->name() << " " << radius;
      EXPECT_GE(slowest, strong * (1.0 - 1e-9) - 1e-9) << loss->name() << " " << radius;
      if (std::isfinite(smoothness)) {
        EXPECT_GE(fastest, 0.99 * smoothness) << loss->name() << " " << radius;
      } else {
        EXPECT_GE(fastest, 0.05 / (1e-3 * radius)) << loss->name() << " " << radius;  // a jump
      }
      EXPECT_LE(slowest, strong * 1.03 + 1e-9) << loss->name() << " " << radius;
    }
  }
}

TEST(LossConstants, AreTheOnesWrittenDown) {
  EXPECT_EQ(make_squared_loss()->lipschitz(3.0), 8.0);
  EXPECT_EQ(make_squared_loss()->smoothness(3.0), 2.0);
  EXPECT_EQ(make_squared_loss()->strong_convexity(3.0), 2.0);
  EXPECT_NEAR(make_logistic_loss()->lipschitz(1.0), 1.0 / (1.0 + std::exp(-1.0)), 1e-14);
  EXPECT_EQ(make_logistic_loss()->lipschitz(1e300), 1.0);
  EXPECT_EQ(make_logistic_loss()->smoothness(1.0), 0.25);
  EXPECT_EQ(make_hinge_loss()->smoothness(0.99), 0.0);
  EXPECT_EQ(make_hinge_loss()->smoothness(1.0), HUGE_VAL);
  EXPECT_EQ(make_smooth_hinge_loss(0.5)->smoothness(0.5), 0.0);
  EXPECT_EQ(make_smooth_hinge_loss(0.5)->smoothness(0.51), 2.0);
  EXPECT_EQ(make_smooth_hinge_loss(4.0)->lipschitz(1.0), 0.5);
  EXPECT_EQ(make_smooth_hinge_loss(4.0)->strong_convexity(0.5), 0.25);
  EXPECT_EQ(make_huber_loss(0.5)->lipschitz(3.0), 0.5);
  EXPECT_EQ(make_huber_loss(9.0)->lipschitz(3.0), 4.0);
  EXPECT_EQ(make_quantile_loss(0.9)->lipschitz(3.0), 0.9);
  EXPECT_EQ(make_quantile_loss(0.25)->lipschitz(3.0), 0.75);
}

TEST(LossConstants, EveryLossPassesItsOwnCheck) {
  for (const auto& loss : testing::every_loss()) {
    for (const double radius : {1e-3, 0.2, 0.7, 1.0, 1.5, 3.0, 20.0, 800.0, 1e6}) {
      EXPECT_NO_THROW(loss->check(radius)) << loss->name() << " " << radius;
    }
  }
}

}  // namespace
}  // namespace rivulet
