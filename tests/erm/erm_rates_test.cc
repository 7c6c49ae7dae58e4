// The theorem's rates, by experiment on short streams. Seeds are fixed: these are the same numbers every time, and the
// tolerances leave room for other seeds (slopes over 12 streams scatter by some 0.08).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "experiments/erm_measure.h"

namespace rivulet::experiments {
namespace {

ErmSetting hard() {
  ErmSetting setting{.rows = 8192, .dimension = 8, .budget = {2.0, 1e-6}};
  setting.averaged = false;
  return setting;
}

double slope(const std::vector<double>& values, const std::function<void(ErmSetting&, double)>& set) {
  std::vector<std::pair<double, double>> points;
  for (const double value : values) {
    ErmSetting setting = hard();
    set(setting, value);
    const ErmOutcome outcome = mean_outcome(measure_hard_stream, setting, 12);
    EXPECT_LT(outcome.excess, outcome.terms) << value;
    EXPECT_LT(outcome.excess, outcome.theorem) << value;
    points.emplace_back(value, outcome.excess);
  }
  return log_log_slope(points);
}

TEST(ErmRates, OnHardStreamsExcessRiskGrowsWithTheCubeRootOfTheRows) {
  EXPECT_NEAR(slope({1024, 4096, 16384}, [](ErmSetting& s, double v) { s.rows = static_cast<std::uint64_t>(v); }),
              1.0 / 3.0, 0.2);
}

TEST(ErmRates, OnHardStreamsExcessRiskGrowsWithTheCubeRootOfTheDimension) {
  EXPECT_NEAR(slope({2, 8, 32}, [](ErmSetting& s, double v) { s.dimension = static_cast<std::size_t>(v); }), 1.0 / 3.0,
              0.2);
}

TEST(ErmRates, OnHardStreamsExcessRiskFallsWithEpsilonToTheTwoThirds) {
  EXPECT_NEAR(slope({1, 4, 16}, [](ErmSetting& s, double v) { s.budget.epsilon = v; }), -2.0 / 3.0, 0.2);
}

TEST(ErmRates, TheMeanOverCallsStaysWithinTwiceTheTheoremsTermsWhereItHarms) {
  for (const std::uint64_t rows : {1024U, 8192U}) {
    ErmSetting setting = hard();
    setting.rows = rows;
    setting.averaged = true;
    const ErmOutcome outcome = mean_outcome(measure_hard_stream, setting, 12);
    EXPECT_LT(outcome.excess, 2.0 * outcome.terms);
  }
}

TEST(ErmRates, OnPlainStreamsTheMeanOverCallsIsWorthAFactorOfThree) {
  ErmSetting setting{.rows = 16384, .dimension = 5, .budget = {2.0, 1e-6}};
  const ErmOutcome averaged = mean_outcome(measure_regression, setting, 4);
  setting.averaged = false;
  const ErmOutcome last = mean_outcome(measure_regression, setting, 4);
  EXPECT_LT(3.0 * averaged.excess, last.excess);
  EXPECT_LT(10.0 * averaged.excess, averaged.trivial);
  EXPECT_LT(averaged.excess, averaged.terms);
}

TEST(ErmRates, TheTightBudgetBeatsThePapersTwiceOver) {
  ErmSetting setting{.rows = 16384, .dimension = 5, .budget = {1.0, 1e-6}};
  setting.averaged = false;
  const ErmOutcome tight = mean_outcome(measure_regression, setting, 4);
  setting.profile = Profile::paper;
  const ErmOutcome paper = mean_outcome(measure_regression, setting, 4);
  EXPECT_LT(2.0 * tight.excess, paper.excess);
}

TEST(ErmRates, ARidgeMakesTheExcessIndependentOfTheLength) {
  std::vector<std::pair<double, double>> points;
  for (const std::uint64_t rows : {1024U, 2048U, 4096U, 8192U}) {
    ErmSetting setting{.rows = rows, .dimension = 5, .budget = {2.0, 1e-6}};
    setting.rule = PrivIncErm::TauRule::strongly_convex;
    setting.ridge = 0.5;
    const ErmOutcome outcome = mean_outcome(measure_regression, setting, 4);
    EXPECT_LT(outcome.excess, outcome.theorem);
    points.emplace_back(static_cast<double>(rows), outcome.excess);
  }
  EXPECT_LT(log_log_slope(points), 0.3);
}

}  // namespace
}  // namespace rivulet::experiments
