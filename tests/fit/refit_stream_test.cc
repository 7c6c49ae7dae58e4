// A refit of recorded statistics against the live stream they came from, bit for bit, and what a refit refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "fit/mechanism.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/refit.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

Schema shop(bool intercept) {
  Schema schema;
  schema.intercept(intercept).feature("age", {18, 90}).categorical("town", {"A", "B", "C"}).feature("visits", {-1, 40});
  return schema.target("spend", {0, 500});
}

struct Stream {
  const char* label;
  StreamOptions options;
  int steps;
};

StreamOptions base(bool intercept = true) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = shop(intercept);
  options.insecure_seed = 5;
  return options;
}

std::vector<Stream> streams() {
  std::vector<Stream> list;
  const auto add = [&](const char* label, int steps, StreamOptions options, auto change) {
    change(options);
    list.push_back({label, options, steps});
  };
  using Options = StreamOptions;
  add("the defaults", 300, base(), [](Options&) {});
  add("no intercept", 300, base(false), [](Options&) {});
  add("weak noise", 300, base(), [](Options& o) { o.budget.epsilon = 50.0, o.release_every = 20; });
  add("binding ball", 300, base(), [](Options& o) { o.budget.epsilon = 50.0, o.constraint = "l2:0.1"; });
  add("no regularisation", 300, base(), [](Options& o) { o.noise_aware_ridge = false; });
  add("l1", 300, base(), [](Options& o) { o.constraint = "l1:0.7"; });
  add("tree", 100, base(), [](Options& o) { o.strategy = StrategyKind::tree, o.horizon = Horizon::known(100); });
  add("hybrid", 100, base(), [](Options& o) { o.strategy = StrategyKind::hybrid, o.constraint = "l1:2"; });
  add("paper", 60, base(false), [](Options& o) { o.profile = Profile::paper, o.horizon = Horizon::known(64); });
  add("paper's solver", 60, base(),
      [](Options& o) { o.solver = Solver::noisy_proj_grad, o.horizon = Horizon::known(64), o.constraint = "l1:1.5"; });
  add("paper's noise, fast solver", 60, base(),
      [](Options& o) { o.profile = Profile::paper, o.horizon = Horizon::known(64), o.solver = Solver::fast; });
  return list;
}

struct Recorded {
  Statistics statistics;
  Model model;
};

std::vector<Recorded> record(const Stream& stream) {
  PrivIncReg1 regression(stream.options);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<Recorded> records;
  const std::size_t levels = stream.options.schema.has_intercept() ? 2 : 3;
  while (static_cast<int>(records.size()) < stream.steps) {
    std::vector<double> row(levels + 2, 0.0);
    row.front() = 18.0 + 72.0 * unit(random);
    if (const double town = unit(random); town < 0.8) row[1 + (town < 0.4 ? 0 : levels - 1)] = 1.0;
    row.back() = 40.0 * unit(random);
    const double spend = 3.0 * row.front() + 40.0 * row[1] + 2.0 * row.back() + 20.0 * unit(random);
    if (!regression.observe(row, spend)) continue;
    records.push_back({regression.statistics(), {}});
    // Now and then only: a live model must not depend on which of its predecessors were asked for.
    if (records.size() % 3 == 1) (void)regression.model();
    records.back().model = regression.model();
  }
  return records;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expect_same(const Model& a, const Model& b, const std::string& label) {
  EXPECT_EQ(a.step, b.step) << label;
  EXPECT_EQ(a.rows, b.rows) << label;
  EXPECT_EQ(a.not_private, b.not_private) << label;
  EXPECT_TRUE(same_bits(a.intercept, b.intercept)) << label << " step " << a.step;
  EXPECT_TRUE(same_bits(a.noise.gram_diagonal, b.noise.gram_diagonal)) << label;
  ASSERT_EQ(a.theta.size(), b.theta.size()) << label;
  ASSERT_EQ(a.coefficients.size(), b.coefficients.size()) << label;
  EXPECT_TRUE(std::equal(a.theta.begin(), a.theta.end(), b.theta.begin(), same_bits)) << label << " step " << a.step;
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) {
    EXPECT_EQ(a.coefficients[i].name, b.coefficients[i].name) << label;
    EXPECT_TRUE(same_bits(a.coefficients[i].value, b.coefficients[i].value)) << label << " step " << a.step;
  }
}

TEST(Refit, WithTheStreamsSettingsGivesTheLiveModelBitForBitInAnyOrder) {
  for (const Stream& stream : streams()) {
    const std::vector<Recorded> records = record(stream);
    const Refit::Options settings = Refit::settings_of(stream.options);
    Refit one(stream.options, settings);
    for (const Recorded& at : records) expect_same(one.fit(at.statistics), at.model, stream.label);
    for (std::size_t k = records.size(); k-- > 0;) {
      expect_same(one.fit(records[k].statistics), records[k].model, stream.label);
      if (k % 10 != 0) continue;
      // From the options as the live stream reports them, every default filled in.
      const PrivIncReg1 other(stream.options);
      Refit fresh(other.options(), Refit::settings_of(other.options()));
      expect_same(fresh.fit(records[k].statistics), records[k].model, stream.label);
    }
  }
}

TEST(Refit, NamingEveryFeatureChangesNothing) {
  for (const Stream& stream : streams()) {
    Refit::Options settings = Refit::settings_of(stream.options);
    settings.features = std::vector<std::string>{"visits", "age", "town"};
    Refit refit(stream.options, settings);
    for (const Recorded& at : record(stream)) expect_same(refit.fit(at.statistics), at.model, stream.label);
  }
}

TEST(Refit, ByProfileMeansTheStreamsProfile) {
  StreamOptions paper = base();
  paper.profile = Profile::paper;
  paper.horizon = Horizon::known(64);
  EXPECT_EQ(Refit::settings_of(paper).solver, Solver::noisy_proj_grad);
  EXPECT_EQ(Refit::settings_of(base()).solver, Solver::fast);
  Refit::Options by_profile;
  by_profile.solver = Solver::by_profile;
  Refit named(paper, Refit::settings_of(paper));
  Refit unnamed(paper, by_profile);
  const Recorded at = record({"", paper, 20}).back();
  expect_same(unnamed.fit(at.statistics), named.fit(at.statistics), "by profile");
}

TEST(Refit, TheSolverOfAPaperStreamMayBeChanged) {
  const Stream stream{"",
                      [] {
                        StreamOptions options = base();
                        options.profile = Profile::paper;
                        options.horizon = Horizon::known(64);
                        return options;
                      }(),
                      30};
  Refit fast(stream.options, {});
  Refit papers(stream.options, Refit::settings_of(stream.options));
  const Recorded at = record(stream).back();
  EXPECT_NE(fast.fit(at.statistics).theta, papers.fit(at.statistics).theta);
}

// The mechanism's noise follows from the constraint the stream was declared with, not from the one fitted now.
TEST(Refit, ThePapersSolverGoesByTheNoiseOfTheStreamWhateverTheConstraint) {
  StreamOptions options = base();
  options.solver = Solver::noisy_proj_grad;
  options.horizon = Horizon::known(64);
  options.constraint = "l2:0.1";
  const PrivIncReg1 regression(options);
  fit::ModelFitter::Options expected = fit::fitter_options(regression.options(), regression.plan().moments());
  expected.constraint = "l2:5";
  fit::ModelFitter fitter(options.schema, expected);
  Refit refit(options, {.constraint = "l2:5", .solver = Solver::noisy_proj_grad, .features = {}});
  const Recorded at = record({"", options, 30}).back();
  expect_same(refit.fit(at.statistics), fitter.fit(at.statistics), "another constraint");
}

TEST(Refit, ARefusedRequestNamesItsField) {
  const StreamOptions stream = base();
  const auto refused = [&](auto change) {
    Refit::Options options;
    change(options);
    return testing::refusal([&] { Refit(stream, options); });
  };
  EXPECT_EQ(refused([](Refit::Options&) {}), "accepted");
  EXPECT_TRUE(refused([](auto& o) { o.constraint = "l3:1"; }).starts_with("constraint: "));
  EXPECT_TRUE(refused([](auto& o) { o.constraint = "l2:0"; }).starts_with("constraint: "));
  EXPECT_EQ(refused([](auto& o) { o.features = std::vector<std::string>{"agee"}; }),
            "features: \"agee\" is not a feature; accepted: age, town, visits");
  EXPECT_TRUE(refused([](auto& o) { o.solver = Solver::noisy_proj_grad; }).starts_with("horizon: "));
  for (const char* text : {"", "automatic", "AUTO", "ridge", "ridge:", "ridge:x", "ridge:-1", "ridge:0", "ridge:inf",
                           "ridge:nan", "ridge:1e999", "ridge:1 ", "ridge: 1", "ridge:1,5", " none"}) {
    const std::string message = refused([&](auto& o) { o.regularisation = text; });
    EXPECT_TRUE(message.starts_with("regularisation: ")) << text << ": " << message;
    EXPECT_NE(message.find("ridge:LAMBDA"), std::string::npos) << message;
  }
  for (const char* text : {"auto", "none", "ridge:1", "ridge:0.5", "ridge:1e-300", "ridge:1e300"}) {
    EXPECT_EQ(refused([&](auto& o) { o.regularisation = text; }), "accepted") << text;
  }
  StreamOptions known = base();
  known.horizon = Horizon::known(64);
  Refit::Options ridge{.solver = Solver::noisy_proj_grad, .features = {}, .regularisation = "ridge:1"};
  EXPECT_TRUE(testing::refusal([&] { Refit(known, ridge); }).starts_with("regularisation: "));
}

TEST(Refit, StatisticsOfAnotherShapeAreRefused) {
  Refit whole(base(), {});
  Refit part(base(), {.features = std::vector<std::string>{"age"}});
  Statistics good;
  good.dimension = 5;
  good.gram.assign(25, 0.0);
  good.cross.assign(5, 0.0);
  for (Refit* refit : {&whole, &part}) {
    EXPECT_NO_THROW((void)refit->fit(good));
    EXPECT_NO_THROW((void)refit->select(good));
    for (const int what : {0, 1, 2}) {
      Statistics bad = good;
      if (what == 0) bad.dimension = 2;
      if (what == 1) bad.gram.pop_back();
      if (what == 2) bad.cross.push_back(0.0);
      EXPECT_THROW((void)refit->fit(bad), RequestError) << what;
      EXPECT_THROW((void)refit->select(bad), RequestError) << what;
    }
  }
}

}  // namespace
}  // namespace rivulet
