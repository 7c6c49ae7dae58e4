#include "rivulet/budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/refusal.h"

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using rivulet::testing::refusal;

TEST(Budget, AcceptsPositiveFiniteEpsilonWithDeltaBetweenZeroAndOne) {
  for (const double epsilon : {1e-300, 0.1, 1.0, 50.0}) {
    for (const double delta : {1e-300, 1e-6, 0.999}) EXPECT_NO_THROW((Budget{epsilon, delta}.validate()));
  }
}

TEST(Budget, RefusesAnEpsilonThatPromisesNothingAndShowsIt) {
  for (const double epsilon : {0.0, -1.0, kInfinity, -kInfinity, kNaN}) {
    EXPECT_THROW((Budget{epsilon, 1e-6}.validate()), RequestError) << epsilon;
  }
  EXPECT_EQ(refusal([] {
              Budget{-0.5, 1e-6}.validate();
            }),
            "epsilon: -0.5 is not a budget; accepted: a positive finite number, e.g. 1");
}

TEST(Budget, RefusesADeltaOutsideTheOpenUnitIntervalAndShowsIt) {
  for (const double delta : {0.0, 1.0, -1e-9, 2.0, kInfinity, kNaN}) {
    EXPECT_THROW((Budget{1.0, delta}.validate()), RequestError) << delta;
  }
  EXPECT_EQ(refusal([] {
              Budget{1.0, 2.0}.validate();
            }),
            "delta: 2 is not a budget; accepted: a number above 0 and below 1, e.g. 1e-6");
}

TEST(Words, EveryChoiceReadsBackFromItsOwnWord) {
  for (const auto value : {Neighbours::replace, Neighbours::zero_out})
    EXPECT_EQ(parse_neighbours(to_string(value)), value);
  for (const auto value : {Profile::tight, Profile::paper}) EXPECT_EQ(parse_profile(to_string(value)), value);
  for (const auto value : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    EXPECT_EQ(parse_strategy(to_string(value)), value);
  }
}

TEST(Words, AnUnknownWordIsRefusedWithTheFieldTheWordAndTheChoices) {
  EXPECT_EQ(refusal([] { parse_strategy("forest"); }),
            "strategy: \"forest\" is not known; accepted: blt, tree, hybrid");
  EXPECT_EQ(refusal([] { parse_profile("", "--profile"); }), "--profile: \"\" is not known; accepted: tight, paper");
  EXPECT_EQ(refusal([] { parse_neighbours("Replace"); }),
            "neighbours: \"Replace\" is not known; accepted: replace, zero-out");
}

TEST(HorizonText, IsUnboundedOrAPositiveWholeNumberOfSteps) {
  EXPECT_FALSE(parse_horizon("unbounded").is_known());
  EXPECT_EQ(parse_horizon("1").steps(), 1u);
  EXPECT_EQ(parse_horizon("18446744073709551615").steps(), std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"", "0", "-1", "+1", "1.5", "1e6", " 1", "1 ", "18446744073709551616", "Unbounded"}) {
    EXPECT_THROW(parse_horizon(text), RequestError) << text;
  }
  EXPECT_NE(refusal([] { parse_horizon("soon", "--horizon"); }).find("--horizon: \"soon\""), std::string::npos);
}

TEST(HorizonText, ZeroKnownStepsAreRefused) {
  EXPECT_THROW(Horizon::known(0), RequestError);
}

}  // namespace
}  // namespace rivulet
