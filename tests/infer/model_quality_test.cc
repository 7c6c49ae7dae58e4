// R^2 of a model's own coefficients: exact without noise, right on average with it, and words that say no more than the
// numbers. Deviations allowed are 4.9 standard deviations of what is measured: a false alarm has probability 1e-6.
#include "rivulet/model_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <tuple>

#include "infer/sums.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "support/statistics.h"

namespace rivulet {
namespace {

StreamOptions stream_of(std::size_t features, bool intercept = true) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.intercept(intercept);
  for (std::size_t i = 0; i < features; ++i) options.schema.feature("x" + std::to_string(i), {-1.0, 1.0});
  options.schema.target("y", {-1.0, 1.0});
  return options;
}

struct Rows {
  std::vector<std::vector<double>> values;
  std::vector<double> targets;
};

Rows draw_rows(std::size_t count, std::size_t features) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> x(features);
    for (double& value : x) value = uniform(random);
    rows.targets.push_back(0.3 + 0.4 * x[0] - 0.1 * x[1] + 0.1 * uniform(random));
    rows.values.push_back(x);
  }
  return rows;
}

Statistics sums_of(const Rows& rows, const Schema& schema) {
  testing::Sums sums(schema);
  for (std::size_t i = 0; i < rows.targets.size(); ++i) sums.add(rows.values[i], rows.targets[i]);
  return sums.statistics();
}

// By Model::predict() and the textbook, in the user's units.
double r_squared_on(const Rows& rows, const std::function<double(const std::vector<double>&)>& predict,
                    bool about_mean) {
  double mean = 0.0;
  for (const double y : rows.targets) mean += about_mean ? y / static_cast<double>(rows.targets.size()) : 0.0;
  double left = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < rows.targets.size(); ++i) {
    left += std::pow(rows.targets[i] - predict(rows.values[i]), 2);
    total += std::pow(rows.targets[i] - mean, 2);
  }
  return 1.0 - left / total;
}

Statistics with_noise(Statistics statistics, double sigma, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0.0, sigma);
  const std::size_t d = statistics.dimension;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double draw = normal(random);
      statistics.gram[i * d + j] += draw;
      statistics.gram[j * d + i] += draw;
    }
    statistics.gram[i * d + i] += std::sqrt(2.0) * normal(random);
    statistics.cross[i] += normal(random);
  }
  statistics.target_square += normal(random);
  statistics.noise = {std::sqrt(2.0) * sigma, sigma, sigma};
  statistics.target_square_stddev = sigma;
  return statistics;
}

// The set l2:0.1 leaves a model far from least squares; the unconstrained fit's R^2 is another number.
TEST(ModelQuality, WithoutNoiseItIsTheRSquaredOfTheModelsPredictionsAndNotOfTheUnconstrainedFit) {
  const Rows rows = draw_rows(400, 3);
  for (const bool intercept : {true, false}) {
    for (const char* constraint : {"l2:0.1", "l1:0.05", "l2:2"}) {
      StreamOptions stream = stream_of(3, intercept);
      stream.constraint = constraint;
      const Statistics sums = sums_of(rows, stream.schema);
      Refit refit(stream, Refit::settings_of(stream));
      const Model model = refit.fit(sums);
      const ModelQuality quality = model_quality(stream, sums, model);
      const double truth = r_squared_on(
          rows, [&](const auto& x) { return model.predict(x); }, intercept);
      ASSERT_TRUE(quality.r_squared) << constraint;
      EXPECT_NEAR(quality.r_squared->value, truth, 1e-9) << constraint;
      EXPECT_NEAR(quality.r_squared->lower, truth, 1e-6);
      EXPECT_NEAR(quality.r_squared->upper, truth, 1e-6);
      EXPECT_EQ(quality.r_squared->stddev, 0.0);
      EXPECT_EQ(quality.verdict, truth > 0.0 ? Verdict::better : Verdict::no_better) << constraint;
      EXPECT_EQ(quality.against_mean, intercept);
      const double free_fit = Inference(stream.schema, sums).r_squared();
      if (std::string(constraint) == "l2:2") {
        EXPECT_NEAR(free_fit, truth, 1e-9);
      } else {
        EXPECT_GT(free_fit, truth + 0.2) << "the case tests nothing";
      }
    }
  }
}

TEST(ModelQuality, AModelOfFewerFeaturesIsJudgedByItsOwnPredictions) {
  const Rows rows = draw_rows(400, 3);
  const StreamOptions stream = stream_of(3);
  const Statistics sums = sums_of(rows, stream.schema);
  Refit::Options options = Refit::settings_of(stream);
  options.features = std::vector<std::string>{"x1"};
  Refit refit(stream, options);
  const Model model = refit.fit(sums);
  const ModelQuality quality = model_quality(stream, options, sums, model);
  const double truth = r_squared_on(
      rows, [&](const auto& x) { return model.predict(std::vector<double>{x[1]}); }, true);
  ASSERT_TRUE(quality.r_squared);
  EXPECT_NEAR(quality.r_squared->value, truth, 1e-9);
  EXPECT_LT(truth, 0.1);
}

// Ten features of which eight are nothing, noise that bends the fit: without step 2 of the derivation the mean is off
// by far more than what is allowed, without step 3 the stated variance is too small.
TEST(ModelQuality, WhatFittingToTheNoiseGainsIsTakenOffOnAverageAndCountedInTheVariance) {
  constexpr int kDraws = 600;
  StreamOptions stream = stream_of(10);
  const Rows rows = draw_rows(3000, 10);
  const Statistics exact = sums_of(rows, stream.schema);
  Refit refit(stream, Refit::settings_of(stream));
  std::mt19937_64 random(7);
  double sum = 0.0;
  double squares = 0.0;
  double stated = 0.0;
  double covered = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Statistics noisy = with_noise(exact, 5.0, random);
    const Model model = refit.fit(noisy);
    const double truth = r_squared_on(
        rows, [&](const auto& x) { return model.predict(x); }, true);
    const ModelQuality quality = model_quality(stream, noisy, model);
    ASSERT_TRUE(quality.r_squared);
    // Before it is cut at 1.
    const double error = quality.r_squared->value - truth;
    sum += error;
    squares += error * error;
    stated += std::pow(quality.r_squared->stddev, 2);
    covered += quality.r_squared->lower <= truth && truth <= quality.r_squared->upper ? 1.0 : 0.0;
  }
  const double stddev = std::sqrt(squares / kDraws);
  std::printf("error of R^2: mean %.4f, root mean square %.4f, stated %.4f, covered %.1f%%\n", sum / kDraws, stddev,
              std::sqrt(stated / kDraws), 100.0 * covered / kDraws);
  EXPECT_LE(std::abs(sum / kDraws), testing::kTwoSidedMillionth * stddev / std::sqrt(kDraws));
  // Never too small; the few draws where the fit nearly drowns make it too large on average.
  EXPECT_GE(std::sqrt(stated / kDraws) / stddev, 0.9);
  EXPECT_LE(std::sqrt(stated / kDraws) / stddev, 1.5);
  EXPECT_GE(covered / kDraws, 0.95 - 4.9 * std::sqrt(0.05 * 0.95 / kDraws));
}

TEST(ModelQuality, TheWordsFollowTheInterval) {
  const Rows rows = draw_rows(5000, 3);
  const StreamOptions stream = stream_of(3);
  const Statistics exact = sums_of(rows, stream.schema);
  std::mt19937_64 random(3);
  Model wrong;
  wrong.theta = {0.0, -1.0, 1.0, 0.0};
  const ModelQuality worse = model_quality(stream, with_noise(exact, 0.1, random), wrong);
  ASSERT_TRUE(worse.r_squared);
  EXPECT_LT(worse.r_squared->upper, 0.0);
  EXPECT_EQ(worse.verdict, Verdict::no_better);
  EXPECT_NE(worse.text().find("no better than the mean of the target"), std::string::npos) << worse.text();

  Refit refit(stream, Refit::settings_of(stream));
  const Statistics clear = with_noise(exact, 0.1, random);
  const ModelQuality good = model_quality(stream, clear, refit.fit(clear));
  EXPECT_EQ(good.verdict, Verdict::better);
  EXPECT_NE(good.text().find("): better than the mean of the target."), std::string::npos) << good.text();
  EXPECT_NE(good.text().find("95% interval 0."), std::string::npos) << good.text();
  const ModelQuality half = model_quality(stream, clear, refit.fit(clear), 0.5);
  EXPECT_GT(half.r_squared->lower, good.r_squared->lower);

  const Statistics drowned = with_noise(exact, 3000.0, random);
  const ModelQuality unknown = model_quality(stream, drowned, refit.fit(drowned));
  EXPECT_EQ(unknown.verdict, Verdict::cannot_be_told);
  EXPECT_NE(unknown.text().find("cannot be told yet at this noise"), std::string::npos) << unknown.text();
  EXPECT_EQ(unknown.text().find("nan"), std::string::npos);
}

// An L1 ball is not regularised: with a negative eigenvalue the fit goes from one vertex to another at a touch.
TEST(ModelQuality, WhereTheFitMayJumpNothingIsSaidAndWithARidgeItIs) {
  const Rows rows = draw_rows(2000, 3);
  StreamOptions stream = stream_of(3);
  Statistics noisy = sums_of(rows, stream.schema);
  const std::size_t last = noisy.gram.size() - 1;
  noisy.gram[last] = -0.5;
  noisy.noise = {0.5, 0.35, 0.35};
  noisy.target_square_stddev = 0.35;
  for (const auto& [constraint, regularisation, told] :
       {std::tuple{"l1:1", "auto", false}, std::tuple{"l2:2", "none", false}, std::tuple{"l2:2", "ridge:0.1", false},
        std::tuple{"l2:2", "ridge:500", true}, std::tuple{"l2:2", "auto", true}}) {
    Refit::Options options = Refit::settings_of(stream);
    options.constraint = constraint;
    options.regularisation = regularisation;
    Refit refit(stream, options);
    const ModelQuality quality = model_quality(stream, options, noisy, refit.fit(noisy));
    EXPECT_EQ(quality.r_squared.has_value(), told) << constraint << ' ' << regularisation << ' ' << quality.text();
    EXPECT_TRUE(told || quality.verdict == Verdict::cannot_be_told);
  }
}

TEST(ModelQuality, TheSameArgumentsGiveTheSameBits) {
  const Rows rows = draw_rows(500, 3);
  const StreamOptions stream = stream_of(3);
  std::mt19937_64 random(3);
  const Statistics noisy = with_noise(sums_of(rows, stream.schema), 1.0, random);
  Refit refit(stream, Refit::settings_of(stream));
  const Model model = refit.fit(noisy);
  const ModelQuality once = model_quality(stream, noisy, model);
  const ModelQuality again = model_quality(stream, noisy, model);
  ASSERT_TRUE(once.r_squared && again.r_squared);
  EXPECT_EQ(once.r_squared->lower, again.r_squared->lower);
  EXPECT_EQ(once.text(), again.text());
}

TEST(ModelQuality, WhereTheStatisticsCannotSayItTheReasonIsGiven) {
  const Rows rows = draw_rows(500, 3);
  const StreamOptions stream = stream_of(3);
  const Statistics sums = sums_of(rows, stream.schema);
  Model model;
  model.theta.assign(4, 0.0);
  const auto expect_reason = [&](const StreamOptions& options, const Statistics& statistics, const std::string& part) {
    const ModelQuality quality = model_quality(options, statistics, model);
    EXPECT_FALSE(quality.r_squared) << part;
    EXPECT_EQ(quality.verdict, Verdict::cannot_be_told) << part;
    EXPECT_NE(quality.not_known_because.find(part), std::string::npos) << quality.not_known_because;
    EXPECT_EQ(quality.text().find("R² of the model is not known: "), 0U) << quality.text();
  };
  Statistics without_square = sums;
  without_square.has_target_square = false;
  expect_reason(stream, without_square, "profile `paper`");
  StreamOptions erm = stream;
  erm.erm.emplace();
  expect_reason(erm, {}, "PrivIncERM");
  StreamOptions sketched = stream;
  sketched.sketch = Sketch{.dimension = 2, .seed = 1};
  sketched.schema.clip_norm(0.5);
  expect_reason(sketched, sums, "sketch");
  StreamOptions paper_solver = stream;
  paper_solver.solver = Solver::noisy_proj_grad;
  paper_solver.horizon = Horizon::known(4);
  expect_reason(paper_solver, sums, "noisy-proj-grad");
}

TEST(ModelQuality, AModelOrALevelThatIsNoneIsRefused) {
  const Rows rows = draw_rows(50, 3);
  const StreamOptions stream = stream_of(3);
  const Statistics sums = sums_of(rows, stream.schema);
  Model model;
  model.theta.assign(3, 0.0);
  EXPECT_THROW((void)model_quality(stream, sums, model), RequestError);
  model.theta.assign(4, 0.0);
  EXPECT_THROW((void)model_quality(stream, sums, model, 1.0), RequestError);
  EXPECT_THROW((void)model_quality(stream_of(2), sums, model), RequestError);
}

}  // namespace
}  // namespace rivulet
