#include "rivulet/priv_inc_reg2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fit/mechanism.h"
#include "fit/model_fitter.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/refit.h"
#include "synthetic_stream.h"

namespace rivulet {
namespace {

using experiments::SparseStream;
using experiments::SparseSyntheticRow;

constexpr std::size_t kFeatures = 600;

StreamOptions options_for(const std::string& constraint, std::optional<std::size_t> sketch, double epsilon = 1e5) {
  StreamOptions options;
  options.budget = {epsilon, 1e-6};
  options.schema.block("x", kFeatures, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
  options.constraint = constraint;
  options.release_every = 500;
  options.horizon = Horizon::known(200);
  options.insecure_seed = 3;
  if (sketch) options.sketch = Sketch{.dimension = sketch, .seed = 17};
  return options;
}

struct Outcome {
  Model model;
  double excess = 0.0;  // over the model that made the data
  double trivial = 0.0;
};

double risk(const std::vector<SparseSyntheticRow>& rows, const std::vector<double>& theta) {
  double sum = 0.0;
  for (const SparseSyntheticRow& row : rows) {
    double residual = row.y;
    for (std::size_t i = 0; i < row.positions.size(); ++i) residual -= row.values[i] * theta[row.positions[i]];
    sum += residual * residual;
  }
  return sum;
}

Outcome run(const StreamOptions& options, int rows, std::uint64_t seed) {
  IncrementalRegression regression(options);
  SparseStream stream(kFeatures, 10, 3.0, 0.05, seed);
  std::vector<SparseSyntheticRow> seen;
  for (int i = 0; i < rows; ++i) {
    seen.push_back(stream.next_sparse());
    regression.observe(SparseRow{seen.back().positions, seen.back().values}, seen.back().y);
  }
  Outcome result{regression.model()};
  const double best = risk(seen, stream.theta());
  result.excess = risk(seen, result.model.theta) - best;
  result.trivial = risk(seen, std::vector<double>(kFeatures, 0.0)) - best;
  return result;
}

TEST(PrivIncReg2, FindsASparseModelFromAFewDimensions) {
  const Outcome sketched = run(options_for("l1:3", 200), 20000, 1);
  EXPECT_LT(sketched.excess, 0.1 * sketched.trivial);
  EXPECT_EQ(sketched.model.theta.size(), kFeatures);
  EXPECT_LT(sketched.model.coefficients.size(), kFeatures / 4);
  // The five features that the target depends on are among the largest, with their signs.
  for (std::size_t k = 0; k < 5; ++k) {
    const double coefficient = sketched.model.theta[4 * k + 1];
    EXPECT_GT(coefficient * (k % 2 == 0 ? 1.0 : -1.0), 0.3) << k;
  }
}

TEST(PrivIncReg2, GetsBetterWithEveryDoublingOfTheSketchAndReachesTheFullMatrix) {
  double last = 1e300;
  for (const std::size_t m : {50U, 150U, 600U}) {
    double excess = 0.0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) excess += run(options_for("l1:3", m), 10000, seed).excess;
    EXPECT_LT(excess, last) << m;
    last = excess;
  }
  double full = 0.0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) full += run(options_for("l1:3", std::nullopt), 10000, seed).excess;
  EXPECT_LT(full, last);
}

TEST(PrivIncReg2, WorksUnderARealBudgetWhereTheModelOfNothingDoesNot) {
  const Outcome sketched = run(options_for("l1:3", 200, 2.0), 60000, 4);
  EXPECT_LT(sketched.excess, 0.35 * sketched.trivial);
}

TEST(PrivIncReg2, KeepsEveryModelInTheSet) {
  for (const char* constraint : {"l1:1", "l2:1", "lp:1.5:1", "simplex", "group:4:1", "box:-0.1:0.1", "elastic:0.5:1"}) {
    const StreamOptions options = options_for(constraint, 60, 1.0);
    const auto set = fit::unit_ball_constraint(options.schema, constraint);
    IncrementalRegression regression(options);
    SparseStream stream(kFeatures, 10, 3.0, 0.05, 5);
    for (int i = 0; i < 3000; ++i) {
      const SparseSyntheticRow& row = stream.next_sparse();
      if (!regression.observe(SparseRow{row.positions, row.values}, row.y)) continue;
      const Model model = regression.model();
      EXPECT_TRUE(set->contains(model.theta)) << constraint;
    }
  }
}

TEST(PrivIncReg2, ReleasesStatisticsOfTheSketchOnly) {
  const StreamOptions options = options_for("l1:3", 40, 1.0);
  PrivIncReg2 regression(options);
  SparseStream stream(kFeatures, 10, 3.0, 0.05, 6);
  for (int i = 0; i < 500; ++i) {
    const SparseSyntheticRow& row = stream.next_sparse();
    regression.observe(SparseRow{row.positions, row.values}, row.y);
  }
  EXPECT_EQ(regression.statistics().dimension, 40U);
  EXPECT_EQ(regression.statistics().gram.size(), 1600U);
  EXPECT_EQ(regression.plan().moments().layout().dimension, 40U);
  EXPECT_EQ(*regression.options().sketch->dimension, 40U);
  EXPECT_EQ(*regression.options().sketch->seed, 17U);
}

// One step of rows that cannot be used: nothing but noise. For a single step the strategy is the identity, so the noise
// is the Gaussian mechanism's, 4.224679 times the sensitivity at (1, 1e-6). 4950 draws: within 10% except with
// probability below 1e-20; half the noise, or that of another sensitivity, is far outside.
TEST(PrivIncReg2, AddsTheNoiseOfItsSensitivityToTheSketch) {
  StreamOptions options = options_for("l1:3", 100, 1.0);
  options.horizon = Horizon::known(1);
  options.release_every = 3;
  PrivIncReg2 regression(options);
  for (int i = 0; i < 3; ++i) regression.observe(SparseRow{}, std::nan(""));
  const Statistics statistics = regression.statistics();
  double squares = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < i; ++j) squares += std::pow(statistics.gram[i * 100 + j], 2);
  }
  const double s = regression.plan().moments().limits().target_scale();
  const double expected = 4.224679 * std::sqrt(2.0) * (1.0 + s * s) / std::sqrt(2.0);
  EXPECT_NEAR(std::sqrt(squares / 4950.0), expected, 0.1 * expected);
  EXPECT_NEAR(statistics.noise.gram_offdiagonal, expected, 1e-3 * expected);
}

TEST(PrivIncReg2, TakesDenseRowsSparseRowsAndBatchesAlike) {
  const StreamOptions options = options_for("l1:3", 40, 1.0);
  PrivIncReg2 dense(options);
  PrivIncReg2 sparse(options);
  PrivIncReg2 batched(options);
  RowBatch batch = batched.make_batch();
  SparseStream stream(kFeatures, 10, 3.0, 0.05, 6);
  SparseStream same(kFeatures, 10, 3.0, 0.05, 6);
  for (int i = 0; i < 500; ++i) {
    const SparseSyntheticRow& row = stream.next_sparse();
    const experiments::SyntheticRow& written_out = same.next();
    dense.observe(written_out.x, written_out.y);
    sparse.observe(SparseRow{row.positions, row.values}, row.y);
    batch.observe(SparseRow{row.positions, row.values}, row.y);
  }
  batched.absorb(std::move(batch));
  EXPECT_EQ(dense.statistics().gram, sparse.statistics().gram);
  EXPECT_EQ(dense.statistics().gram, batched.statistics().gram);
  EXPECT_EQ(dense.model().theta, sparse.model().theta);
}

TEST(PrivIncReg2, LeavesRowsOutsideTheSetGOutAndLimitsUnits) {
  StreamOptions options = options_for("l1:3", 40, 1.0);
  options.only_if = {"nonzeros<=2"};
  options.unit = PrivacyUnit{"person", 2};
  PrivIncReg2 regression(options);
  const std::vector<std::uint32_t> two{1, 5};
  const std::vector<std::uint32_t> three{1, 5, 9};
  const std::vector<double> values{0.5, 0.5, 0.5};
  const std::span<const double> all(values);
  regression.observe(SparseRow{two, all.first(2)}, 1.0, "a");
  regression.observe(SparseRow{three, all}, 1.0, "a");
  regression.observe(SparseRow{two, all.first(2)}, 1.0, "a");
  EXPECT_EQ(regression.unusable_rows_for_operator(), 2U);
  EXPECT_EQ(regression.over_limit_rows_for_operator(), 1U);
}

TEST(PrivIncReg2, TellsTheOperatorOfRowsAimedAtTheSketch) {
  StreamOptions options = options_for("l1:3", 4, 1.0);
  options.sketch->column_weight = 1;
  PrivIncReg2 regression(options);
  // Two columns of +-1 at the same place, a tenth apart: what is left of them is a tenth of their length.
  const auto map = fit::make_sketch(fit::with_defaults(options));
  std::vector<double> first(4, 0.0);
  map->add_column(0, 1.0, first);
  std::uint32_t partner = 1;
  while (std::abs(map->column_dot(partner, first)) < 0.5) ++partner;
  const double sign = map->column_dot(partner, first) > 0.0 ? -1.0 : 1.0;
  const std::vector<std::uint32_t> positions{0, partner};
  const std::vector<double> values{0.5, sign * 0.4};
  EXPECT_EQ(regression.distorted_rows_for_operator(), 0U);
  regression.observe(SparseRow{positions, values}, 1.0);
  EXPECT_EQ(regression.distorted_rows_for_operator(), 1U);
  RowBatch batch = regression.make_batch();
  RowBatch other = regression.make_batch();
  batch.observe(SparseRow{positions, values}, 1.0);
  other.observe(SparseRow{positions, values}, 1.0);
  batch.merge(std::move(other));
  regression.absorb(std::move(batch));
  EXPECT_EQ(regression.distorted_rows_for_operator(), 3U);
}

TEST(PrivIncReg2, RefitsItsReleasesAndRefusesToChooseFeatures) {
  const StreamOptions options = options_for("l1:3", 40, 1.0);
  PrivIncReg2 regression(options);
  SparseStream stream(kFeatures, 10, 3.0, 0.05, 6);
  for (int i = 0; i < 500; ++i) {
    const SparseSyntheticRow& row = stream.next_sparse();
    regression.observe(SparseRow{row.positions, row.values}, row.y);
  }
  Refit same(regression.options(), Refit::settings_of(regression.options()), regression.plan());
  EXPECT_EQ(same.fit(regression.statistics()).theta, regression.model().theta);
  Refit other(regression.options(), {.constraint = "l1:0.5", .features = std::nullopt});
  double norm = 0.0;
  for (const double entry : other.fit(regression.statistics()).theta) norm += std::abs(entry);
  EXPECT_LE(norm, 0.5 * (1.0 + 1e-12));
  EXPECT_THROW(Refit(regression.options(), {.features = std::vector<std::string>{"x"}}), RequestError);
  // A sketch that is not known is not made up.
  EXPECT_THROW(Refit(options_for("l1:3", std::nullopt), {}).fit(regression.statistics()), RequestError);
  StreamOptions unknown = options;
  unknown.sketch->seed.reset();
  EXPECT_THROW(Refit(unknown, {}), RequestError);
}

TEST(PrivIncReg2, RunsAsThePaperWroteIt) {
  StreamOptions options = options_for("l1:1", std::nullopt, 1.0);
  options.profile = Profile::paper;
  options.horizon = Horizon::known(4);
  options.release_every = 50;
  options.sketch = Sketch{.rule = SketchRule::paper};
  options.only_if = {"nonzeros<=10"};
  PrivIncReg2 regression(options);
  EXPECT_EQ(*regression.options().sketch->embedding, EmbeddingKind::gaussian);
  SparseStream stream(kFeatures, 10, 3.0, 0.05, 6);
  for (int i = 0; i < 200; ++i) {
    const SparseSyntheticRow& row = stream.next_sparse();
    regression.observe(SparseRow{row.positions, row.values}, row.y);
  }
  const Model model = regression.model();
  EXPECT_TRUE(fit::unit_ball_constraint(options.schema, "l1:1")->contains(model.theta));
}

TEST(PrivIncReg2, AndPrivIncReg1AskForTheirOwnOptions) {
  EXPECT_THROW(PrivIncReg2(options_for("l1:3", std::nullopt)), RequestError);
  EXPECT_THROW(PrivIncReg1(options_for("l1:3", 40)), RequestError);
}

TEST(PrivIncReg2, RunsInAMillionDimensions) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.block("x", 1000000, {0.0, 1.0}).target("y", {-1.0, 1.0}).clip_norm(2.0);
  options.constraint = "l1:2";
  options.sketch = Sketch{.dimension = 50};
  options.release_every = 200;
  PrivIncReg2 regression(options);
  std::mt19937_64 random(8);
  for (int i = 0; i < 400; ++i) {
    std::vector<std::uint32_t> positions{static_cast<std::uint32_t>(random() % 500000),
                                         static_cast<std::uint32_t>(500000 + random() % 500000)};
    const std::vector<double> values{1.0, 1.0};
    regression.observe(SparseRow{positions, values}, 0.5);
  }
  const Model model = regression.model();
  EXPECT_EQ(model.width, 1000000U);
  EXPECT_EQ(model.theta.size(), 1000001U);
  EXPECT_TRUE(std::isfinite(model.intercept));
}

TEST(PrivIncReg2, GivesTheSameModelHoweverOftenItIsAskedFor) {
  for (const char* constraint : {"l1:3", "l2:1", "elastic:0.5:2"}) {
    StreamOptions options = options_for(constraint, 40, 1.0);
    PrivIncReg2 regression(options);
    SparseStream stream(kFeatures, 10, 3.0, 0.05, 6);
    for (int i = 0; i < 1500; ++i) {
      const SparseSyntheticRow& row = stream.next_sparse();
      if (!regression.observe(SparseRow{row.positions, row.values}, row.y)) continue;
      const Model first = regression.model();
      EXPECT_EQ(regression.model().theta, first.theta) << constraint << " step " << regression.step();
      EXPECT_EQ(regression.model().theta, first.theta) << constraint << " step " << regression.step();
    }
  }
}

TEST(PrivIncReg2, SaysThatFeaturesOfASketchCannotBeChosen) {
  StreamOptions options = options_for("l1:3", 40, 1.0);
  options.schema.feature("age", {0.0, 100.0});
  for (const auto& features : {std::vector<std::string>{"age"}, {"x"}, {"x", "age"}}) {
    try {
      Refit(options, {.constraint = "l1:3", .features = features});
      FAIL();
    } catch (const RequestError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 10), "features: ") << error.what();
    }
  }
}

}  // namespace
}  // namespace rivulet
