// Values and derivatives, also where exponentials overflow.
#include "rivulet/loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "loss/every_loss.h"

namespace rivulet {
namespace {

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

TEST(Loss, HasTheValuesOfItsFormula) {
  const auto expect = [](const char* text, double p, double y, double value, double derivative) {
    const auto loss = parse_loss(text);
    EXPECT_DOUBLE_EQ(loss->value(p, y), value) << text << " " << p << " " << y;
    EXPECT_DOUBLE_EQ(loss->derivative(p, y), derivative) << text << " " << p << " " << y;
  };
  expect("squared", 0.5, -1.0, 2.25, 3.0);
  expect("squared", 0.5, 0.75, 0.0625, -0.5);
  expect("logistic", 0.0, 1.0, std::log(2.0), -0.5);
  expect("logistic", 0.0, -1.0, std::log(2.0), 0.5);
  expect("logistic", std::log(3.0), 1.0, std::log(4.0 / 3.0), -0.25);
  expect("logistic", std::log(3.0), -1.0, std::log(4.0), 0.75);
  expect("hinge", -0.5, 1.0, 1.5, -1.0);
  expect("hinge", 2.0, 1.0, 0.0, 0.0);
  expect("hinge", 2.0, -1.0, 3.0, 1.0);
  expect("smooth-hinge:0.5", 0.75, 1.0, 0.0625, -0.5);
  expect("smooth-hinge:0.5", 0.5, 1.0, 0.25, -1.0);
  expect("smooth-hinge:0.5", -1.0, 1.0, 1.75, -1.0);
  expect("smooth-hinge:0.5", -1.0, -1.0, 0.0, 0.0);
  expect("huber:0.5", 0.25, 0.0, 0.03125, 0.25);
  expect("huber:0.5", -1.5, 0.5, 0.875, -0.5);
  expect("quantile:0.75", 0.0, 1.0, 0.75, -0.75);
  expect("quantile:0.75", 1.0, 0.0, 0.25, 0.25);
}

TEST(Loss, AnswersAtAKinkWithTheSubgradientItNames) {
  EXPECT_EQ(parse_loss("hinge")->derivative(1.0, 1.0), 0.0);
  EXPECT_EQ(parse_loss("hinge")->derivative(-1.0, -1.0), 0.0);
  EXPECT_EQ(parse_loss("hinge")->derivative(std::nextafter(1.0, 0.0), 1.0), -1.0);
  for (const double y : {-1.0, 0.0, 0.3, 1.0}) EXPECT_EQ(parse_loss("quantile:0.2")->derivative(y, y), 0.0);
}

TEST(Loss, DerivativesAgreeWithDifferencesOfValues) {
  std::mt19937_64 generator(31);
  for (const auto& loss : testing::every_loss()) {
    for (const double radius : {0.1, 1.0, 4.0, 30.0}) {
      for (int trial = 0; trial < 2000; ++trial) {
        const double y = testing::random_target(*loss, generator);
        const double p = testing::random_prediction(radius, generator);
        const double h = 1e-5;
        const double before = (loss->value(p, y) - loss->value(p - h, y)) / h;
        const double after = (loss->value(p + h, y) - loss->value(p, y)) / h;
        const double rounding = 1e-15 * (1.0 + loss->value(p + h, y) + loss->value(p - h, y)) / h;
        EXPECT_GE(loss->derivative(p, y), before - rounding) << loss->name() << " " << p << " " << y;
        EXPECT_LE(loss->derivative(p, y), after + rounding) << loss->name() << " " << p << " " << y;
      }
    }
  }
}

TEST(LogisticLoss, IsAccurateToTheLastDigits) {
  const auto loss = make_logistic_loss();
  std::mt19937_64 generator(32);
  std::uniform_real_distribution<double> exponent(-320.0, 2.87);
  double worst = 0.0;
  for (int trial = 0; trial < 200000; ++trial) {
    const double p = std::pow(10.0, exponent(generator)) * ((generator() & 1U) != 0 ? 1.0 : -1.0);
    for (const double y : {-1.0, 1.0}) {
      const long double margin = static_cast<long double>(y) * p;
      const long double value = std::log1p(std::exp(-margin));
      const long double derivative = -y / (1.0L + std::exp(margin));
      if (value < 1e-300L) continue;
      worst = std::max(worst, std::abs(static_cast<double>(loss->value(p, y) / value - 1.0L)));
      worst = std::max(worst, std::abs(static_cast<double>(loss->derivative(p, y) / derivative - 1.0L)));
    }
  }
  EXPECT_LT(worst, 8 * 0x1p-52);
  std::cout << "largest relative error: " << worst * 0x1p52 << " units of rounding\n";
}

TEST(Loss, StandsExtremeArguments) {
  for (const auto& loss : testing::every_loss()) {
    for (const double y : {-1.0, 1.0}) {
      for (const double p : {0.0, -0.0, kTiny, -kTiny, 1e-310, 1.0, -1.0, 709.0, -709.0, 710.5, -710.5, 745.2, -745.2,
                             1e10, -1e10, 1e150, -1e150, 1e300, -1e300}) {
        const double value = loss->value(p, y);
        const double derivative = loss->derivative(p, y);
        EXPECT_GE(value, 0.0) << loss->name() << " " << p << " " << y;
        EXPECT_TRUE(std::isfinite(derivative)) << loss->name() << " " << p << " " << y;
        EXPECT_LE(std::abs(derivative), loss->lipschitz(std::abs(p))) << loss->name() << " " << p << " " << y;
        if (loss->name() == "squared" && std::abs(p) >= 1e300) continue;
        EXPECT_TRUE(std::isfinite(value)) << loss->name() << " " << p << " " << y;
      }
    }
  }
  EXPECT_EQ(make_logistic_loss()->value(-1e300, 1.0), 1e300);
  EXPECT_EQ(make_logistic_loss()->value(1e300, 1.0), 0.0);
  EXPECT_EQ(make_logistic_loss()->derivative(-1e300, 1.0), -1.0);
  EXPECT_EQ(make_logistic_loss()->derivative(1e300, 1.0), -0.0);
  EXPECT_EQ(make_hinge_loss()->value(-1e300, 1.0), 1e300);
}

TEST(Loss, StandsExtremeParameters) {
  for (const double number : {kTiny, 1e-310, 1e-300, 1e300, std::numeric_limits<double>::max()}) {
    for (const auto& loss : {make_huber_loss(number), make_smooth_hinge_loss(number)}) {
      for (const double y : {-1.0, 1.0}) {
        for (const double p : {-3.0, -1.0, 0.0, kTiny, 0.5, 1.0, 3.0}) {
          EXPECT_GE(loss->value(p, y), 0.0) << loss->name() << " " << p;
          EXPECT_TRUE(std::isfinite(loss->value(p, y))) << loss->name() << " " << p;
          EXPECT_LE(std::abs(loss->derivative(p, y)), loss->lipschitz(3.0)) << loss->name() << " " << p;
        }
      }
      EXPECT_EQ(parse_loss(loss->name())->name(), loss->name());
    }
  }
}

TEST(Loss, AZeroRowChangesNoGradient) {
  for (const auto& loss : testing::every_loss()) {
    EXPECT_EQ(0.0 * loss->derivative(0.0, 0.0), 0.0) << loss->name();
    EXPECT_TRUE(std::isfinite(loss->value(0.0, 0.0))) << loss->name();
  }
}

}  // namespace
}  // namespace rivulet
