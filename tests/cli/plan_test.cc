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

Flags sketch_plan() {
  return Flags{{"--dim", "4000"},       {"--epsilon", "1"},       {"--delta", "1e-6"},
               {"--horizon", "131072"}, {"--constraint", "l1:1"}, {"--row-set", "sparse:10"}};
}

TEST(Plan, OfSketchesTradesMemoryAndNoiseAgainstDistortion) {
  const auto json = plan(sketch_plan().with("--sketch", "400"));
  const auto& sketches = json.at("sketches");
  EXPECT_EQ(sketches.at("row_set"), "sparse:10");
  EXPECT_EQ(sketches.at("rows"), 131072.0);
  const auto& table = sketches.at("trade_off");
  ASSERT_GT(table.size(), 4u);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double m = table[i].at("dimension").get<double>();
    // ||K|| = 1: rows / m.
    expect_relative(table[i].at("distortion_risk").get<double>(), 131072.0 / m, 1e-12);
    EXPECT_EQ(table[i].at("predicted_excess_risk").get<double>(),
              table[i].at("distortion_risk").get<double>() + table[i].at("noise_risk").get<double>());
    if (i == 0) continue;
    EXPECT_GT(m, table[i - 1].at("dimension").get<double>());
    EXPECT_GT(table[i].at("memory_bytes"), table[i - 1].at("memory_bytes"));
    EXPECT_LE(table[i].at("noise_risk"), table[i - 1].at("noise_risk"));
  }
  EXPECT_EQ(sketches.at("asked").at("dimension"), 400);
  EXPECT_EQ(sketches.at("full_matrix").at("dimension"), 4000);
  EXPECT_EQ(sketches.at("full_matrix").at("distortion_risk"), 0.0);
  EXPECT_GT(sketches.at("theorem_5_7_bound"), 0.0);
  EXPECT_EQ(sketches.at("theorem_4_2_bound"), json.at("theorem_4_2_bound"));
  EXPECT_EQ(json.at("theorem_4_2_bound"), plan(sketch_plan().without("--row-set")).at("theorem_4_2_bound"))
      << "of the full matrix, whatever is asked for";
}

TEST(Plan, WithAutoAsksForWhatItRecommends) {
  const auto sketches = plan(sketch_plan().with("--sketch", "auto")).at("sketches");
  ASSERT_EQ(sketches.at("recommended").at("mechanism"), "sketch");
  EXPECT_EQ(sketches.at("asked").at("dimension"), sketches.at("recommended").at("sketch"));
  const auto paper = plan(sketch_plan().with("--sketch", "paper")).at("sketches");
  EXPECT_EQ(paper.at("asked").at("dimension"), paper.at("paper_dimension"));
  const auto small = plan(base().with("--mechanism", "full")).at("sketches");
  EXPECT_EQ(small.at("recommended"), (nlohmann::json{{"mechanism", "full"}}));
  EXPECT_FALSE(small.contains("asked"));
}

TEST(Plan, SaysNothingOfSketchesUnlessAskedOrNeeded) {
  EXPECT_FALSE(plan(base()).contains("sketches"));
  EXPECT_TRUE(lacks(run(base().plan()).out, "sketch"));
  EXPECT_TRUE(holds(run(sketch_plan().without("--row-set").plan()).out, "recommended             --sketch "));
  const std::string text = run(sketch_plan().with("--sketch", "auto").plan()).out;
  for (const char* part :
       {"the paper's m", "Theorem 5.7", "Theorem 4.2", "recommended", "by distortion", "full: 4000"}) {
    EXPECT_TRUE(holds(text, part));
  }
}

TEST(Plan, OfAMillionColumnsNeedsASketch) {
  const Flags flags = base().with("--dim", "1000000");
  const Outcome refused = run(flags.plan());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(holds(refused.err, "mechanism: 1000000 dimensions are too many"));
  EXPECT_TRUE(holds(refused.err, "sketch=auto"));
  EXPECT_EQ(plan(flags.with("--sketch", "400")).at("sketches").at("asked").at("dimension"), 400);
  EXPECT_EQ(run(base().with("--dim", "3000000000").plan()).exit_code, 2);
}

}  // namespace
}  // namespace rivulet::cli_testing
