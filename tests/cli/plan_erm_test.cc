// `rivulet plan` for PrivIncERM, against the formulas of the paper worked out here.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

Flags base() {
  return {{"--dim", "10"}, {"--epsilon", "1"}, {"--delta", "1e-6"}, {"--horizon", "4096"}, {"--loss", "logistic"}};
}

nlohmann::json plan(const Flags& flags) {
  const Outcome outcome = run(flags.bare("--json").plan());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

TEST(PlanErm, TauFollowsTheRulesOfTheTheorem) {
  EXPECT_EQ(plan(base())["tau"], std::ceil(std::cbrt(4096.0 * 10.0)));
  EXPECT_EQ(plan(base())["tau_rule"], "convex");
  EXPECT_EQ(plan(base().with("--epsilon", "0.125"))["tau"], std::ceil(4.0 * std::cbrt(40960.0)));
  EXPECT_EQ(plan(base().with("--release-every", "10"))["tau"], std::ceil(std::cbrt(409600.0) / 10.0))
      << "tau is in steps, the rule's in rows";
  const auto ridge = plan(base().with("--ridge", "0.01"));
  const double lipschitz = ridge["lipschitz"].get<double>() + 0.01;
  EXPECT_EQ(ridge["tau_rule"], "strongly-convex");
  EXPECT_EQ(ridge["tau"], std::ceil(std::sqrt(10.0 * lipschitz / 0.01)));
  EXPECT_EQ(plan(base().with("--constraint", "l1:1"))["method"], "frank-wolfe");
  EXPECT_EQ(plan(base().with("--constraint", "l1:1"))["tau_rule"], "width");
  EXPECT_EQ(plan(base().with("--tau", "17"))["tau"], 17);
  EXPECT_EQ(plan(base().with("--mechanism", "naive"))["tau"], 1);
}

TEST(PlanErm, CallsShareTheBudgetEvenlyAndTheirNoiseIsTheGaussianMechanisms) {
  const auto json = plan(base().with("--tau", "64"));
  EXPECT_EQ(json["calls"], 64);
  const auto last = json["times"].back();
  EXPECT_EQ(last["step"], 4096);
  EXPECT_EQ(last["calls"], 64);
  const double mu = json["mu"].get<double>();
  EXPECT_NEAR(1.0 / mu, 4.224679, 1e-5);
  EXPECT_NEAR(last["call_mu"].get<double>(), mu / 8.0, 1e-9);
  // A row that is exchanged moves a sum of gradients by 2 L.
  const double lipschitz = json["lipschitz"].get<double>();
  EXPECT_NEAR(lipschitz, 1.0 / (1.0 + std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(last["call_stddev"].get<double>(), 2.0 * lipschitz / (mu / 8.0), 1e-3);
  EXPECT_NEAR(last["sum_stddev"].get<double>(),
              last["call_stddev"].get<double>() * std::sqrt(last["iterations"].get<double>()), 1e-3);
  EXPECT_EQ(last["memory_bytes"], 4.0 * 11.0 * 4096.0);
  EXPECT_EQ(json["memory_bytes_a_row"], 44.0);
  EXPECT_NEAR(last["age_risk"].get<double>(), 2.0 * 64.0 * lipschitz, 1e-9);
  const auto half = plan(base().with("--tau", "64").with("--neighbours", "zero-out"));
  EXPECT_NEAR(half["times"].back()["call_stddev"].get<double>(), lipschitz / (mu / 8.0), 1e-3);
}

TEST(PlanErm, TheBoundIsTheTheoremsAndNeverAboveTheTrivialOne) {
  const double scale = plan(base())["lipschitz"].get<double>();
  const double log_delta = std::log(1e6);
  const Flags large = base().with("--horizon", "100000000");
  EXPECT_NEAR(
      plan(large)["theorem_3_1_bound"].get<double>() / (std::cbrt(1e8 * 10.0) * scale * std::pow(log_delta, 2.5)), 1.0,
      1e-9);
  EXPECT_NEAR(plan(base())["theorem_3_1_bound"].get<double>(), 4096.0 * scale, 1e-6);
  EXPECT_NEAR(plan(base().with("--mechanism", "trivial"))["theorem_3_1_bound"].get<double>(), 4096.0 * scale, 1e-6);
}

TEST(PlanErm, WithoutAHorizonThereIsNoLastCall) {
  const auto json = plan(base().without("--horizon").with("--at", "1000000"));
  EXPECT_TRUE(json["calls"].is_null());
  EXPECT_EQ(json["tau"], 216) << "for a million rows";
  const auto at = json["times"].at(0);
  EXPECT_EQ(at["calls"], 1000000 / 216);
}

TEST(PlanErm, TheTextSaysCallsRuleNoiseBoundAndMemory) {
  const Outcome outcome = run(base().plan());
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"logistic; derivatives up to L", "calls, one every", "the rule convex", "calls in all",
                           "noise of sum", "Theorem 3.1, part 1", "44 bytes a row"}) {
    EXPECT_TRUE(holds(outcome.out, part));
  }
  EXPECT_TRUE(lacks(outcome.out, "gram"));
  const std::string trivial = run(base().with("--mechanism", "trivial").plan()).out;
  EXPECT_TRUE(holds(trivial, "no row is ever looked at"));
  EXPECT_TRUE(lacks(trivial, "noise of sum"));
  const std::string surrogate = run(base().with("--mechanism", "surrogate").plan()).out;
  EXPECT_TRUE(holds(surrogate, "gram diag")) << "the surrogate's noise is that of the sums";
}

TEST(PlanErm, ContradictionsAreRefusedByName) {
  for (const auto& [flags, message] : std::vector<std::pair<Flags, std::string>>{
           {base().with("--strategy", "tree"), "strategy: has no meaning with mechanism 'erm'"},
           {base().with("--sketch", "3"), "mechanism: a sketch is for the squared loss"},
           {base().with("--mechanism", "full"), "mechanism: 'full' is for the squared loss"},
           {base().with("--loss", "hinge").with("--mechanism", "surrogate"), "'surrogate' is for the logistic loss"},
           {base().with("--loss", "squared").with("--tau", "3"), "tau: has no meaning with mechanism 'full'"},
           {base().with("--at", "5000"), "at: step 5000 is not covered by the promise; accepted: 1 to 4096"},
           {base().without("--epsilon"), "epsilon: not given"},
           {base().without("--dim"), "dim: not given"}}) {
    const Outcome outcome = run(flags.plan());
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(holds(outcome.err, message));
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
