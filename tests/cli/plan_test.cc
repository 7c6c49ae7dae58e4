// `rivulet plan` against reference numbers: Gaussian calibration, and the standard deviation of a released prefix sum
// at unit sensitivity and unit mu for each strategy.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

const Flags& base() {
  static const Flags flags{{"--dim", "10"}, {"--epsilon", "1"}, {"--delta", "1e-6"}};
  return flags;
}

nlohmann::json plan(const Flags& flags) {
  const Outcome outcome = run(flags.bare("--json").plan());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

double factor(const Flags& flags) {
  return plan(flags).at("prefix_stddev_factor").get<double>();
}

void expect_relative(double value, double reference, double tolerance) {
  EXPECT_NEAR(value / reference, 1.0, tolerance) << value << " against " << reference;
}

TEST(Plan, MuIsTheExactGaussianCalibration) {
  struct Reference {
    const char* epsilon;
    const char* delta;
    double sigma;
  };
  for (const Reference& r :
       {Reference{"0.1", "1e-6", 36.304690}, Reference{"0.5", "1e-6", 8.057618}, Reference{"1", "1e-5", 3.730632},
        Reference{"1", "1e-6", 4.224679}, Reference{"1", "1e-9", 5.495266}, Reference{"2", "1e-6", 2.230476},
        Reference{"8", "1e-6", 0.652935}}) {
    expect_relative(1.0 / plan(base().with("--epsilon", r.epsilon).with("--delta", r.delta)).at("mu").get<double>(),
                    r.sigma, 1e-6);
  }
}

TEST(Plan, TheJsonHasItsKeysAndTheyAgree) {
  for (const Flags& flags :
       {base(), base().with("--horizon", "1000"), base().with("--horizon", "1000").with("--strategy", "tree"),
        base().with("--strategy", "hybrid"), base().with("--neighbours", "zero-out"), base().with("--at", "77")}) {
    const auto json = plan(flags);
    const double norm = json.at("strategy_norm").get<double>();
    const double decoder = json.at("decoder_norm").get<double>();
    const double prefix = json.at("prefix_stddev_factor").get<double>();
    const double mu = json.at("mu").get<double>();
    const double sensitivity = json.at("l2_sensitivity").get<double>();
    expect_relative(prefix, norm * decoder, 1e-12);
    expect_relative(json.at("stddev").at("gram_diagonal").get<double>(), sensitivity * prefix / mu, 1e-6);
    expect_relative(json.at("stddev").at("gram_offdiagonal").get<double>(), sensitivity * prefix / mu / std::sqrt(2.0),
                    1e-6);
    EXPECT_GT(json.at("stddev").at("cross").get<double>(), 0.0);
    EXPECT_GE(json.at("charge").at("epsilon").get<double>(), 0.0);
    EXPECT_LT(json.at("charge").at("epsilon").get<double>(), 1e-3);
    EXPECT_LT(json.at("charge").at("delta").get<double>(), 1e-6);
  }
}

struct HorizonReference {
  const char* steps;
  double tree_paper;
  double tree_optimal;
  double optimum;
};

constexpr HorizonReference kHorizons[] = {{"1024", 10.49, 7.99, 3.273},
                                          {"10000", 13.49, 10.11, 3.998},
                                          {"100000", 16.49, 12.23, 4.731},
                                          {"1000000", 19.49, 14.36, 5.464}};

TEST(Plan, ATreesPrefixNoiseIsThatOfItsDecoder) {
  for (const HorizonReference& r : kHorizons) {
    const Flags tree = base().with("--horizon", r.steps).with("--strategy", "tree");
    EXPECT_NEAR(factor(tree.with("--tree-decoding", "paper")), r.tree_paper, 0.006) << r.steps;
    EXPECT_NEAR(factor(tree.with("--tree-decoding", "optimal")), r.tree_optimal, 0.006) << r.steps;
    EXPECT_NEAR(factor(tree), r.tree_optimal, 0.006) << "optimal is the default";
  }
}

TEST(Plan, BltIsWithinOnePercentOfTheOptimumForAKnownHorizon) {
  for (const HorizonReference& r : kHorizons) {
    const double reached = factor(base().with("--horizon", r.steps));
    EXPECT_LE(reached, 1.01 * r.optimum) << r.steps;
    EXPECT_GE(reached, 0.999 * r.optimum) << "better than optimal: " << r.steps;
  }
}

TEST(Plan, AnUnboundedHorizonCostsAKnownFactor) {
  EXPECT_NEAR(factor(base().with("--at", "10000")) / 3.998, 1.39, 0.01);
  EXPECT_NEAR(factor(base().with("--at", "100000")) / 4.731, 1.28, 0.01);
  EXPECT_NEAR(factor(base().with("--at", "1000000")) / 5.464, 1.19, 0.01);
}

TEST(Plan, ZeroOutHalvesTheSquaredSensitivity) {
  const double replace = plan(base()).at("l2_sensitivity").get<double>();
  const double zero_out = plan(base().with("--neighbours", "zero-out")).at("l2_sensitivity").get<double>();
  expect_relative(zero_out, replace / std::sqrt(2.0), 1e-9);
}

TEST(Plan, EveryAskedTimeIsReported) {
  const auto json = plan(base().with("--horizon", "1000").with("--at", "10").plus("--at", "1000"));
  ASSERT_EQ(json.at("times").size(), 2u);
  EXPECT_EQ(json["times"][0]["step"], 10);
  EXPECT_EQ(json["times"][1]["step"], 1000);
  EXPECT_EQ(json["times"][0]["prefix_stddev_factor"], json["prefix_stddev_factor"]) << "the head is of the first --at";
  for (const auto& time : json["times"]) EXPECT_LE(time["predicted_excess_risk"], time["excess_risk_bound"]);
}

TEST(Plan, TheProfileOfThePaperIsNoisier) {
  const Flags known = base().with("--horizon", "1000");
  EXPECT_GT(plan(known.with("--profile", "paper")).at("stddev").at("gram_diagonal").get<double>(),
            5.0 * plan(known).at("stddev").at("gram_diagonal").get<double>());
}

TEST(Plan, ThePrintedPlanHoldsWhatIsPromisedAndWhatItCosts) {
  const Outcome outcome = run(base().with("--horizon", "1").plan());
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part :
       {"Promise\n", "epsilon 1, delta 1e-06 for all releases together", "Mechanism\n", "blt, 1 buffer;", "0.236704",
        "Noise on the private sums", "Theorem 4.2", "noise share <= 0.1"}) {
    EXPECT_TRUE(holds(outcome.out, part));
  }
}

TEST(Plan, ThatCannotBeWrittenIsAFailureAndAReaderWhoLeavesIsNot) {
  const Outcome full = run(base().plan(), Wiring().with_out(Stream::file("/dev/full")));
  EXPECT_EQ(full.exit_code, 1);
  Process left(base().plan());
  left.close_output();
  EXPECT_EQ(left.finish().exit_code, 0);
}

}  // namespace
}  // namespace rivulet::cli_testing
