#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fit/excess_risk.h"
#include "fit/mechanism.h"

namespace rivulet::fit {
namespace {

struct Planned {
  StreamOptions options;
  privacy::MechanismPlan plan;
  std::shared_ptr<const ConstraintSet> set;

  explicit Planned(const StreamOptions& given)
      : options(with_defaults(given)),
        plan(mechanism_request(options)),
        set(unit_ball_constraint(options.schema, options.constraint)) {}
  [[nodiscard]] PlanReport report(double beta = 0.05) const { return {plan, *set, beta}; }
};

StreamOptions request(Horizon horizon, std::uint64_t release_every = 1) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(4);
  options.constraint = "l2:1";
  options.horizon = horizon;
  options.release_every = release_every;
  return options;
}

TEST(PlanReport, TheNoiseShareIsSpectralNoiseOverTheEigenvaluesOfEvenRows) {
  const Planned planned(request(Horizon::known(500), 25));
  for (const std::uint64_t step : {1, 2, 499, 500}) {
    const PlanAtStep at = planned.report().at(step);
    EXPECT_EQ(at.step, step);
    EXPECT_EQ(at.noise.gram_diagonal, planned.plan.noise_at(step).gram_diagonal);
    const double eigenvalue = 25.0 * static_cast<double>(step) / 4.0;
    EXPECT_NEAR(at.noise_share, std::sqrt(8.0) * at.noise.gram_diagonal / eigenvalue, 1e-12 * at.noise_share) << step;
  }
}

TEST(PlanReport, TheExpectedRiskIsBelowTheBoundAndBothAreBelowDoingNothing) {
  for (const Horizon& horizon : {Horizon::unbounded(), Horizon::known(1), Horizon::known(1000)}) {
    const Planned planned(request(horizon));
    const std::uint64_t last = std::min<std::uint64_t>(planned.plan.last_step(), 1000);
    for (const std::uint64_t step : {std::uint64_t{1}, last}) {
      const PlanAtStep at = planned.report().at(step);
      EXPECT_GT(at.predicted_excess_risk, 0.0);
      EXPECT_LE(at.predicted_excess_risk, at.excess_risk_bound);
      EXPECT_LE(at.excess_risk_bound, 4.0 * static_cast<double>(step));  // (1 + ||K||)^2 a row
    }
  }
  // At the first step noise drowns one row: both are the trivial bound itself.
  EXPECT_EQ(Planned(request(Horizon::unbounded())).report().at(1).predicted_excess_risk, 4.0);
  // Late in a long stream with large steps neither is.
  const PlanAtStep late = Planned(request(Horizon::known(1000), 10000)).report().at(1000);
  EXPECT_LT(late.predicted_excess_risk, late.excess_risk_bound);
  EXPECT_LT(late.excess_risk_bound, 4e5);
}

TEST(PlanReport, TheFirstStepBelowAShareIsTheFirst) {
  const Planned planned(request(Horizon::known(400), 50));
  const PlanReport report = planned.report();
  // The last two hold exactly at a step: "at most".
  for (const double share : {0.05, 0.1, 0.3, 1.0, 3.0, report.at(150).noise_share, report.at(300).noise_share}) {
    std::optional<std::uint64_t> expected;
    for (std::uint64_t step = 1; step <= 400 && !expected; ++step) {
      if (report.at(step).noise_share <= share) expected = step;
    }
    EXPECT_EQ(report.steps_until_share(share), expected) << share;
  }
}

TEST(PlanReport, AShareIsReachedAtOnceAtTheLastStepOrNever) {
  const Planned planned(request(Horizon::known(400), 50));
  const PlanReport report = planned.report();
  EXPECT_EQ(report.steps_until_share(std::numeric_limits<double>::infinity()), 1u);
  EXPECT_EQ(report.steps_until_share(report.at(1).noise_share), 1u);
  EXPECT_EQ(report.steps_until_share(report.at(400).noise_share), 400u);
  EXPECT_EQ(report.steps_until_share(std::nextafter(report.at(400).noise_share, 0.0)), std::nullopt);
  EXPECT_EQ(report.steps_until_share(0.0), std::nullopt);
  const Planned single(request(Horizon::known(1)));
  EXPECT_EQ(single.report().steps_until_share(1e9), 1u);
  EXPECT_EQ(single.report().steps_until_share(1e-9), std::nullopt);
}

TEST(PlanReport, AnUnboundedStreamReachesAnyReasonableShareButNotZero) {
  const Planned planned(request(Horizon::unbounded()));
  const auto step = planned.report().steps_until_share(1e-3);
  ASSERT_TRUE(step.has_value());
  EXPECT_LE(planned.report().at(*step).noise_share, 1e-3);
  EXPECT_GT(planned.report().at(*step - 1).noise_share, 1e-3);
  EXPECT_EQ(planned.report().steps_until_share(0.0), std::nullopt);
}

TEST(PlanReport, TheoremFourTwoTakesTheHorizonWhereThereIsOne) {
  const Planned known(request(Horizon::known(1024)));
  EXPECT_EQ(known.report().theorem_4_2(1), known.report().theorem_4_2(1024));
  const Planned unbounded(request(Horizon::unbounded()));
  EXPECT_LT(unbounded.report().theorem_4_2(512), unbounded.report().theorem_4_2(1024));
  EXPECT_EQ(unbounded.report().theorem_4_2(1024), known.report().theorem_4_2(7));
  EXPECT_GT(unbounded.report().theorem_4_2(1), 0.0) << "log(1) = 0 would promise no error at all";
}

TEST(PlanReport, ThePapersProfileIsJudgedByItsOwnSolverAtItsWorstStep) {
  StreamOptions options = request(Horizon::known(64), 100000);
  options.profile = Profile::paper;
  const Planned planned(options);
  const PlanAtStep early = planned.report().at(32);
  const PlanAtStep late = planned.report().at(64);
  EXPECT_EQ(early.excess_risk_bound, late.excess_risk_bound);
  EXPECT_NE(early.noise.gram_diagonal, planned.plan.noise_for(planned.report().largest_decoder_norm()).gram_diagonal);
}

}  // namespace
}  // namespace rivulet::fit
