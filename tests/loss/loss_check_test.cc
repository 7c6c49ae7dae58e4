// Losses of the user's own: what they must say of themselves, and the lies that are found out.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "loss/every_loss.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using Constants = CustomLoss::Constants;
using Function = CustomLoss::Function;
using testing::refusal;

double squared(double p, double y) {
  return (p - y) * (p - y);
}
double squared_slope(double p, double y) {
  return 2.0 * (p - y);
}
const Constants kSquared = {2.0, 6.0, 2.0, 2.0};

std::string found(const Function& value, const Function& slope, const Constants& constants,
                  CustomLoss::Task task = CustomLoss::Task::regression) {
  const CustomLoss loss("mine", value, slope, constants, task);
  return refusal([&] { loss.check(constants.radius); });
}

#define EXPECT_SAYS(message, part)                         \
  {                                                        \
    const std::string said = (message);                    \
    EXPECT_NE(said.find(part), std::string::npos) << said; \
  }

TEST(CustomLoss, AnHonestOneIsAccepted) {
  EXPECT_EQ(found(squared, squared_slope, kSquared), "accepted");
  const double h = 0.25;  // log cosh, a smooth absolute value
  EXPECT_EQ(found([=](double p, double y) { return h * std::log(std::cosh((p - y) / h)); },
                  [=](double p, double y) { return std::tanh((p - y) / h); }, {3.0, 1.0, 4.0, 0.0}),
            "accepted");
  // Naively computed, with the rounding errors that come with it.
  EXPECT_EQ(found([](double p, double y) { return std::log(1.0 + std::exp(-y * p)); },
                  [](double p, double y) { return -y * std::exp(-y * p) / (1.0 + std::exp(-y * p)); },
                  {20.0, 1.0, 0.25, 0.0}, CustomLoss::Task::classification),
            "accepted");
  EXPECT_EQ(found([](double p, double y) { return std::abs(p - y); },
                  [](double p, double y) { return p < y ? -1.0 : 1.0; }, {3.0, 1.0}),
            "accepted");
}

TEST(CustomLoss, SaysWhatItWasGiven) {
  const CustomLoss loss("mine", squared, squared_slope, kSquared);
  EXPECT_EQ(loss.name(), "custom:mine");
  EXPECT_FALSE(loss.is_classification());
  EXPECT_EQ(loss.value(1.0, 0.5), 0.25);
  EXPECT_EQ(loss.derivative(1.0, 0.5), 1.0);
  EXPECT_EQ(loss.lipschitz(2.0), 6.0);
  EXPECT_EQ(loss.smoothness(1.0), 2.0);
  EXPECT_EQ(loss.strong_convexity(0.0), 2.0);
  EXPECT_SAYS(refusal([&] { (void)loss.lipschitz(2.1); }), "accepted: up to 2, the radius");
  EXPECT_SAYS(refusal([&] { (void)loss.smoothness(2.1); }), "accepted: up to 2, the radius");
  EXPECT_SAYS(refusal([&] { (void)loss.strong_convexity(2.1); }), "accepted: up to 2, the radius");
  EXPECT_SAYS(refusal([&] { loss.check(2.1); }), "accepted: up to 2, the radius");
  for (const double radius : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_SAYS(refusal([&] { loss.check(radius); }), "radius to check it for");
  }
}

TEST(CustomLoss, RefusesConstantsThatMakeNoSense) {
  const auto made = [](Constants constants) {
    return refusal([&] { CustomLoss("mine", squared, squared_slope, constants); });
  };
  EXPECT_SAYS(refusal([] { CustomLoss("", squared, squared_slope, kSquared); }), "has no name");
  EXPECT_SAYS(refusal([] { CustomLoss("mine", nullptr, squared_slope, kSquared); }), "lacks its value");
  EXPECT_SAYS(refusal([] { CustomLoss("mine", squared, nullptr, kSquared); }), "lacks its derivative");
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_SAYS(made({bad, 6.0, 2.0, 2.0}), "the radius is");
    EXPECT_SAYS(made({2.0, bad, 2.0, 2.0}), "the Lipschitz constant is");
  }
  EXPECT_SAYS(made({2.0, 6.0, -1.0, 0.0}), "the smoothness is -1");
  EXPECT_SAYS(made({2.0, 6.0, std::nan(""), 0.0}), "the smoothness is nan");
  EXPECT_SAYS(made({2.0, 6.0, 2.0, 2.5}), "0 up to the smoothness, which is 2");
  EXPECT_SAYS(made({2.0, 6.0, 2.0, -1.0}), "the strong convexity is -1");
}

TEST(LossCheck, FindsValuesThatAreNoLoss) {
  EXPECT_SAYS(found([](double p, double y) { return p > 1.9 ? std::nan("") : squared(p, y); }, squared_slope, kSquared),
              "the value is nan");
  EXPECT_SAYS(found(
                  squared, [](double p, double y) { return y < -0.9 ? HUGE_VAL : squared_slope(p, y); }, kSquared),
              "the derivative is inf");
  EXPECT_SAYS(found([](double p, double y) { return squared(p, y) - 0.01; }, squared_slope, kSquared),
              "a loss that is never negative");
  const auto count = std::make_shared<std::atomic<int>>(0);
  EXPECT_SAYS(found([=](double p, double y) { return squared(p, y) + 1e-9 * (*count)++; }, squared_slope, kSquared),
              "changes when asked for again");
}

TEST(LossCheck, FindsAFunctionThatIsNotConvexAndSaysWhere) {
  const std::string message = found([](double p, double y) { return 3.0 + std::sin(p - y); },
                                    [](double p, double y) { return std::cos(p - y); }, {2.0, 1.0, 1.0, 0.0});
  EXPECT_SAYS(message, "convex in the prediction");
  EXPECT_SAYS(message, "loss: custom:mine at prediction ");
  EXPECT_SAYS(message, " and y ");
  // Convex but for a dent of a thousandth over a hundredth of the range, for a few targets only.
  const auto dent = [](double p, double y) {
    const double u = (p - 0.7) / 0.02;
    return y > 0.8 && std::abs(u) < 1.0 ? 1e-3 * (1.0 - u * u) * (1.0 - u * u) : 0.0;
  };
  EXPECT_SAYS(found([=](double p, double y) { return squared(p, y) + dent(p, y); }, squared_slope, kSquared),
              "convex in the prediction");
}

TEST(LossCheck, FindsAWrongDerivative) {
  EXPECT_SAYS(found(squared, [](double p, double y) { return 1.0 * (p - y); }, {2.0, 6.0, 2.0, 0.0}), "next to it");
  EXPECT_SAYS(found(squared, [](double p, double y) { return 0.998 * squared_slope(p, y); }, {2.0, 6.0, 2.0, 0.0}),
              "next to it");
  EXPECT_SAYS(found(squared, [](double p, double y) { return -squared_slope(p, y); }, {2.0, 6.0, 2.0, 0.0}),
              "next to it");
}

TEST(LossCheck, FindsConstantsThatAreExceededByAThousandth) {
  EXPECT_SAYS(found(squared, squared_slope, {2.0, 5.994, 2.0, 2.0}), "beyond the Lipschitz constant 5.994");
  EXPECT_SAYS(found(squared, squared_slope, {2.0, 6.0, 1.998, 0.0}), "more than the smoothness 1.998");
  EXPECT_SAYS(found(squared, squared_slope, {2.0, 6.0, 3.0, 2.002}), "less than the strong convexity 2.002");
}

TEST(LossCheck, FindsAKinkBetweenItsPoints) {
  const auto value = [](double p, double y) { return squared(p, y) + 0.03 * std::abs(p - 0.12345); };
  const auto slope = [](double p, double y) { return squared_slope(p, y) + (p < 0.12345 ? -0.03 : 0.03); };
  EXPECT_SAYS(found(value, slope, {2.0, 6.03, 1000.0, 2.0}), "+infinity for a kink");
  EXPECT_EQ(found(value, slope, {2.0, 6.03, HUGE_VAL, 2.0}), "accepted");
}

TEST(LossCheck, AsksClassificationLossesForLabelsOnly) {
  const auto value = [](double p, double y) { return std::abs(y) == 1.0 ? squared(p, y) : std::nan(""); };
  EXPECT_EQ(found(value, squared_slope, kSquared, CustomLoss::Task::classification), "accepted");
  EXPECT_SAYS(found(value, squared_slope, kSquared), "the value is nan");
}

}  // namespace
}  // namespace rivulet
