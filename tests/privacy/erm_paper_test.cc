// Theorem 3.1's periods against values computed by hand, and profile `paper`'s calls against two accounts.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "privacy/calibration.h"
#include "privacy/erm_schedule.h"
#include "privacy/paper_profile.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet::privacy {
namespace {

using testing::refusal;

TEST(ErmPeriod, OfConvexLossesIsTheHandComputedOne) {
  EXPECT_EQ(convex_period({1000, 1, 1.0, 1.0, 1.0}), 10U);         // cube root of 1000
  EXPECT_EQ(convex_period({1000, 8, 1.0, 1.0, 1.0}), 20U);         // of 8000
  EXPECT_EQ(convex_period({1001, 1, 1.0, 1.0, 1.0}), 11U);         // 10.003
  EXPECT_EQ(convex_period({1000000, 10, 0.125, 1.0, 1.0}), 862U);  // 215.443 / 0.25 = 861.77
  EXPECT_EQ(convex_period({1000000, 1, 8.0, 1.0, 1.0}), 25U);      // 100 / 4
  EXPECT_EQ(convex_period({131072, 50, 1.0, 1.0, 1.0}), 188U);     // cube root of 6553600: 187.149
}

TEST(ErmPeriod, OfStronglyConvexLossesIsTheHandComputedOne) {
  EXPECT_EQ(strongly_convex_period({1000, 16, 1.0, 4.0, 1.0}, 1.0), 8U);       // sqrt 64
  EXPECT_EQ(strongly_convex_period({1000, 16, 0.5, 4.0, 4.0}, 0.25), 16U);     // 8 / (0.5 0.5 2)
  EXPECT_EQ(strongly_convex_period({100000, 10, 0.1, 4.0, 1.0}, 0.01), 633U);  // 6.32456 / 0.01 = 632.46
}

TEST(ErmPeriod, OfSetsOfSmallWidthIsTheHandComputedOne) {
  // sqrt(10^4 4) 16^(1/4) / (1^(1/4) 1) = 400
  EXPECT_EQ(width_period({10000, 100, 1.0, 1.0, 1.0}, 4.0, 16.0), 400U);
  // sqrt(10^6 2.25) 81^(1/4) / (256^(1/4) 0.25^(1/2)) = 1500 3 / (4 0.5) = 2250
  EXPECT_EQ(width_period({1000000, 100, 0.25, 64.0, 4.0}, 2.25, 81.0), 2250U);
  // sqrt(131072 3.8) 8^(1/4) / (4^(1/4) 1) = 705.746 1.189207 = 839.28
  EXPECT_EQ(width_period({131072, 1000, 1.0, 4.0, 1.0}, 3.8, 8.0), 840U);
}

TEST(ErmPeriod, IsKeptWithinOneAndTheNumberOfSteps) {
  EXPECT_EQ(convex_period({10, 1000000, 1e-3, 1.0, 1.0}), 10U);
  EXPECT_EQ(convex_period({10, 1, 1e6, 1.0, 1.0}), 1U);
  EXPECT_EQ(convex_period({1, 1, 1.0, 1.0, 1.0}), 1U);
  EXPECT_EQ(convex_period({~std::uint64_t{0}, 1, 1.0, 1.0, 1.0}), 2642246U);  // 2^(64/3)
  EXPECT_EQ(strongly_convex_period({10, 100, 1.0, 1.0, 1.0}, 1e-300), 10U);
  EXPECT_EQ(strongly_convex_period({10, 100, 1.0, 1e-300, 1e300}, 1e300), 1U);
  EXPECT_EQ(width_period({10, 100, 1e-300, 1e-300, 1e-300}, 1e300, 1e300), 10U);
  EXPECT_EQ(width_period({10, 100, 1e300, 1e300, 1e300}, 1e-300, 1e-300), 1U);
  EXPECT_EQ(width_period({10, 100, 1.0, 1.0, 1.0}, 1.0, 0.0), 1U);
}

TEST(ErmPeriod, RefusesWhatIsNoProblem) {
  const ErmProblem good = {100, 5, 1.0, 2.0, 1.0};
  const auto refused = [](ErmProblem problem) { return refusal([&] { convex_period(problem); }); };
  EXPECT_EQ(refused(good), "accepted");
  EXPECT_EQ(refused({0, 5, 1.0, 2.0, 1.0}).rfind("horizon: 0", 0), 0U);
  EXPECT_EQ(refused({100, 0, 1.0, 2.0, 1.0}).rfind("dimension: 0", 0), 0U);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(refused({100, 5, bad, 2.0, 1.0}).rfind("epsilon: ", 0), 0U);
    EXPECT_EQ(refused({100, 5, 1.0, bad, 1.0}).rfind("lipschitz: ", 0), 0U);
    EXPECT_EQ(refused({100, 5, 1.0, 2.0, bad}).rfind("constraint: ", 0), 0U);
    EXPECT_EQ(refusal([&] { strongly_convex_period(good, bad); }).rfind("ridge: ", 0), 0U);
    EXPECT_EQ(refusal([&] { width_period(good, bad, 1.0); }).rfind("constraint: ", 0), 0U);
  }
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(refusal([&] { width_period(good, 1.0, bad); }).rfind("loss: its curvature", 0), 0U);
  }
}

TEST(ErmPaper, ACallHasTheBudgetOfTheMechanismsFirstLine) {
  const Budget call = paper_call_budget({1.0, 1e-6}, 6400, 100);
  // 2 sqrt(128 ln(2e6)) = 2 sqrt(128 14.5086577) = 2 sqrt(1857.10819) = 86.188357
  EXPECT_NEAR(call.epsilon, 1.0 / 86.188357, 1e-9);
  EXPECT_NEAR(call.delta, 1e-6 / 128.0, 1e-20);
}

TEST(ErmPaper, ItsCallsNeverExceedTheBudgetByEitherAccount) {
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
    for (const double delta : {1e-2, 1e-5, 1e-6, 1e-9, 1e-15}) {
      for (const std::uint64_t steps : {1U, 2U, 10U, 1000U, 1000000U}) {
        for (const std::uint64_t period : {1U, 3U, 64U, 5000U}) {
          if (period > steps || epsilon > 2.0 * std::log(2.0 / delta)) continue;
          if (paper_call_budget({epsilon, delta}, steps, period).epsilon > 1.0) continue;
          const ErmPaperAccount account = verify_paper_calls({epsilon, delta}, steps, period);
          EXPECT_LE(account.advanced.epsilon, epsilon * (1.0 + 1e-12));
          EXPECT_LE(account.advanced.delta, delta * (1.0 + 1e-12));
          EXPECT_LE(account.gaussian_delta, delta) << epsilon << " " << delta << " " << steps << " " << period;
          EXPECT_LE(account.gaussian_mu, gaussian_mu({epsilon, delta}));
        }
      }
    }
  }
}

TEST(ErmPaper, IsRefusedWhereItsTheoremDoesNotCarryThePromise) {
  // 2 ln(2 / delta) = 10.597 at delta = 0.01.
  EXPECT_EQ(refusal([] { verify_paper_calls({10.5, 0.01}, 100, 1); }), "accepted");
  EXPECT_NE(refusal([] { verify_paper_calls({10.7, 0.01}, 100, 1); }).find("2 ln(2 / delta)"), std::string::npos);
  EXPECT_NE(refusal([] { verify_paper_calls({10.0, 0.01}, 1, 1); }).find("for up to 1"), std::string::npos);
  EXPECT_EQ(refusal([] { paper_call_budget({1.0, 1e-6}, 10, 11); }).rfind("period: 11", 0), 0U);
  EXPECT_EQ(refusal([] { paper_call_budget({1.0, 1e-6}, 10, 0); }).rfind("period: 0", 0), 0U);
  EXPECT_EQ(refusal([] { paper_call_budget({-1.0, 1e-6}, 10, 1); }).rfind("epsilon", 0), 0U);
}

TEST(ErmPaper, At64CallsTheDefaultHasLessThanHalfItsNoise) {
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    const Budget budget = {epsilon, 1e-6};
    const double paper = verify_paper_calls(budget, 6400, 100).call_mu;
    const double default_mu = ErmSchedule::even(gaussian_mu(budget), 64).mu(1);
    const double endless_mu = ErmSchedule::unbounded(gaussian_mu(budget), 64).mu(1);
    // As the paper's sources calibrate a call: stddev sqrt(2 ln(1.25 / delta')) / epsilon'.
    const Budget call = paper_call_budget(budget, 6400, 100);
    const double classical = call.epsilon / std::sqrt(2.0 * std::log(1.25 / call.delta));
    std::cout << "epsilon " << epsilon << ", delta 1e-6, 64 calls: the paper's noise is " << default_mu / paper
              << " times the default's (" << default_mu / classical << " times in classical calibration, "
              << endless_mu / paper << " times the unbounded schedule's)\n";
    EXPECT_GE(default_mu, 2.0 * paper);
    EXPECT_GE(default_mu, 2.0 * classical);
  }
}

}  // namespace
}  // namespace rivulet::privacy
