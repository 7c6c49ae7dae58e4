#include "fit/sketch_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/mechanism.h"
#include "privacy/paper_profile.h"
#include "support/refusal.h"

namespace rivulet::fit {
namespace {

using testing::refusal;

StreamOptions sparse_stream(std::size_t dimension, const std::string& constraint, std::uint64_t rows) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.block("x", dimension, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
  options.constraint = constraint;
  options.horizon = Horizon::known(rows / 64);
  options.release_every = 64;
  options.only_if = {"nonzeros<=10"};
  options.insecure_seed = 7;
  options.loss = "squared";
  return completed(options);  // before a mechanism is chosen: what is weighed here decides it
}

TEST(SketchPlan, TheNoiseOfASketchFallsToThatOfTheFullMatrixAndTheDistortionToNothing) {
  const SketchPlan plan(sparse_stream(4000, "l1:1", 1 << 17));
  double noise = 1e300;
  double distortion = 1e300;
  double memory = 0.0;
  for (const SketchChoice& choice : plan.trade_off()) {
    EXPECT_LT(choice.noise_risk, noise);
    EXPECT_LT(choice.distortion_risk, distortion);
    EXPECT_GT(choice.memory_bytes, memory);
    EXPECT_GT(choice.noise_risk, plan.full_matrix().noise_risk);
    noise = choice.noise_risk;
    distortion = choice.distortion_risk;
    memory = choice.memory_bytes;
  }
  EXPECT_DOUBLE_EQ(plan.with_sketch(400).distortion_risk, (1 << 17) / 400.0);
  EXPECT_EQ(plan.full_matrix().distortion_risk, 0.0);
}

TEST(SketchPlan, ChoosesTheLeastDimensionWithinFivePercentOfTheBest) {
  for (const char* constraint : {"l1:1", "l2:1", "group:4:1"}) {
    const SketchPlan plan(sparse_stream(4000, constraint, 1 << 17));
    const SketchChoice best = plan.best();
    double least = best.predicted_excess_risk();
    for (std::size_t m = 25; m <= 4000; ++m) {
      const SketchChoice choice = plan.with_sketch(m);
      if (choice.memory_bytes > kMechanismMemory) break;
      least = std::min(least, choice.predicted_excess_risk());
    }
    EXPECT_LE(best.predicted_excess_risk(), 1.05 * least);
    EXPECT_LE(best.memory_bytes, kMechanismMemory);
    // A step of the search below it would not do.
    const auto smaller = static_cast<std::size_t>(static_cast<double>(best.dimension) / 1.13);
    if (smaller >= 25) {
      EXPECT_GT(plan.with_sketch(smaller).predicted_excess_risk(), 1.05 * least) << constraint;
    }
  }
}

TEST(SketchPlan, RecommendsTheFullMatrixWhereItFitsAndASketchWhereItDoesNot) {
  EXPECT_TRUE(SketchPlan(sparse_stream(200, "l1:1", 1 << 17)).recommends_full_matrix());
  EXPECT_FALSE(SketchPlan(sparse_stream(100000, "l1:1", 1 << 17)).recommends_full_matrix());
}

TEST(SketchPlan, ThePapersRuleIsTheFormulaRoundedUpAndNeverMoreThanTheRows) {
  const StreamOptions options = sparse_stream(100000, "l1:1", 1 << 12);
  const SketchPlan plan(options);
  const double width = plan.width();
  const double gamma = std::cbrt(width / 4096.0);
  EXPECT_EQ(static_cast<double>(plan.paper_dimension()),
            std::ceil(std::max(width * width, std::log(4096.0 / 0.05)) / (gamma * gamma)));
  EXPECT_EQ(SketchPlan(sparse_stream(100, "l1:1", 1 << 17)).paper_dimension(), 100U);
  StreamOptions by_paper = options;
  by_paper.sketch = Sketch{.rule = SketchRule::paper};
  EXPECT_EQ(*with_defaults(by_paper).sketch->dimension, plan.paper_dimension());
}

// By hand: T = 8^6, W = 8, ||C|| = 2, delta = beta = e^-1, epsilon = 1/2 and a best loss of 16.
TEST(SketchPlan, TheoremFiveSevenIsTheExpressionOfThePaper) {
  const double rows = std::pow(8.0, 6.0);
  const double expected = std::pow(rows, 1.0 / 3.0) * 4.0 * 18.0 * 18.0 * 4.0 / 0.5 +
                          std::pow(rows, 1.0 / 6.0) * 2.0 * 2.0 * 4.0 +
                          std::pow(rows, 0.25) * std::sqrt(8.0) * std::pow(2.0, 1.5) * 2.0;
  const double e = std::exp(-1.0);
  EXPECT_NEAR(privacy::theorem_5_7_bound({0.5, e}, rows, 8.0, 2.0, 16.0, e), expected, 1e-9 * expected);
}

TEST(SketchDefaults, AreFilledInOnceAndStay) {
  StreamOptions options = sparse_stream(5000, "l1:1", 1 << 17);
  options.insecure_seed.reset();
  options.sketch = Sketch{};
  const StreamOptions complete = with_defaults(options);
  ASSERT_TRUE(complete.sketch->dimension && complete.sketch->seed && complete.sketch->embedding &&
              complete.sketch->column_weight);
  EXPECT_EQ(*complete.sketch->embedding, EmbeddingKind::sparse_sign);
  const StreamOptions again = with_defaults(complete);
  EXPECT_EQ(again.sketch->dimension, complete.sketch->dimension);
  EXPECT_EQ(again.sketch->seed, complete.sketch->seed);
  EXPECT_NE(*with_defaults(options).sketch->seed, *complete.sketch->seed);  // false alarm: 2^-64
  EXPECT_EQ(mechanism_request(complete).dimension, *complete.sketch->dimension);
}

TEST(SketchDefaults, RefuseASketchThatIsNone) {
  const auto message = [](const Sketch& sketch) {
    StreamOptions options = sparse_stream(50, "l1:1", 1 << 10);
    options.sketch = sketch;
    return refusal([&] { (void)with_defaults(options); });
  };
  EXPECT_NE(message({.dimension = 0}).find("sketch"), std::string::npos);
  EXPECT_NE(message({.dimension = 51}).find("sketch"), std::string::npos);
  EXPECT_NE(message({.dimension = 10, .column_weight = 11}).find("sketch"), std::string::npos);
  EXPECT_EQ(message({.dimension = 50}), "accepted");
  EXPECT_EQ(message({.dimension = 3}), "accepted");
}

}  // namespace
}  // namespace rivulet::fit
