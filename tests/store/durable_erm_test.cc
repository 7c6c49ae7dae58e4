// Model files of PrivIncERM, whose rows are kept, and of the surrogate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "erm/erm_plan.h"
#include "fit/mechanism.h"
#include "rivulet/durable_regression.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_erm.h"
#include "rivulet/refit.h"
#include "store/model_folder.h"
#include "store/plain_sqlite.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using store_testing::PlainSqlite;
using store_testing::Row;

class DurableErmTest : public store_testing::ModelFolder {
 protected:
  // A model of 60 rows, committed every 7, and closed.
  std::string made_model(const StreamOptions& options, const std::string& name = "model") {
    const std::string file = path(name);
    DurableRegression regression = DurableRegression::create(file, options);
    const std::vector<Row> stream = labelled_rows(60);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      store_testing::observe(regression, stream[i], i);
      if (i % 7 == 0) (void)regression.commit(std::to_string(i));
    }
    (void)regression.close("end");
    return file;
  }

 public:
  static std::vector<Row> labelled_rows(std::size_t count) {
    std::vector<Row> stream = store_testing::rows(count);
    for (Row& row : stream) row.target = row.target > 0.0 ? 1.0 : 0.0;
    return stream;
  }
  static StreamOptions logistic(std::uint64_t release_every = 4) {
    StreamOptions options;
    options.budget = {1.0, 1e-6};
    options.schema.feature("x", {-1, 1}).feature("z", {-1, 1}).classes("y", "no", "yes");
    options.loss = "logistic";
    options.erm = ErmSettings{.tau = 2};
    options.release_every = release_every;
    options.insecure_seed = 5;
    return options;
  }
};

std::vector<Release> interrupted(const std::string& file, const StreamOptions& options,
                                 const std::vector<Row>& stream) {
  std::vector<Release> published;
  DurableRegression::create(file, options);
  for (std::size_t i = 0; i < stream.size();) {
    DurableRegression regression = DurableRegression::open(file);
    for (std::size_t k = 0; k < 7 && i < stream.size(); ++k, ++i) store_testing::observe(regression, stream[i], i);
    for (Release& release : regression.commit(std::to_string(i))) published.push_back(std::move(release));
    // What comes after a commit is as if never seen.
    for (std::size_t k = 0; k < 5 && i + k < stream.size(); ++k)
      store_testing::observe(regression, stream[i + k], i + k);
  }
  return published;
}

TEST_F(DurableErmTest, InterruptedAfterEveryFewRowsItPublishesWhatAnUninterruptedStreamWould) {
  const std::vector<Row> stream = labelled_rows(200);
  StreamOptions huber = logistic();
  huber.schema = Schema().feature("x", {-1, 1}).feature("z", {-1, 1}).target("y", {0, 1});
  huber.loss = "huber:0.5";
  huber.horizon = Horizon::known(50);
  huber.erm = ErmSettings{.ridge = 0.1, .late_weight = 1.0, .batches = 3};
  StreamOptions frank_wolfe = logistic();
  frank_wolfe.constraint = "l1:2";
  StreamOptions units = logistic();
  units.unit = PrivacyUnit{"person", 9};
  StreamOptions naive = logistic(25);
  naive.erm = ErmSettings{.mechanism = ErmMechanism::naive, .averaged = false};
  StreamOptions trivial = logistic();
  trivial.erm->mechanism = ErmMechanism::trivial;
  StreamOptions surrogate = logistic();
  surrogate.erm.reset();
  int number = 0;
  for (const StreamOptions& options : {logistic(), huber, frank_wolfe, units, naive, trivial, surrogate}) {
    const std::vector<Release> published = interrupted(path(std::to_string(++number)), options, stream);
    IncrementalRegression uninterrupted(options);
    std::size_t step = 0;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const bool released =
          options.unit ? uninterrupted.observe(stream[i].values, stream[i].target, "person " + std::to_string(i % 7))
                       : uninterrupted.observe(stream[i].values, stream[i].target);
      if (!released) continue;
      ASSERT_LT(step, published.size());
      EXPECT_EQ(published[step].model.theta, uninterrupted.model().theta) << number << " " << step;
      EXPECT_EQ(published[step].model.rows, uninterrupted.released_rows());
      EXPECT_EQ(published[step].statistics.cross, uninterrupted.statistics().cross);
      ++step;
    }
    EXPECT_EQ(step, published.size()) << number;
    EXPECT_EQ(step, 200 / options.release_every);
    const bool moves = published.front().model.theta != published.back().model.theta;
    EXPECT_EQ(moves, !options.erm || options.erm->mechanism != ErmMechanism::trivial);
  }
}

TEST_F(DurableErmTest, IsWhatPrivIncErmDoesInMemory) {
  const std::vector<Row> stream = labelled_rows(120);
  const std::string file = path("model");
  DurableRegression regression = DurableRegression::create(file, logistic());
  PrivIncErm::Options options;
  options.tau = 2;
  options.budget = {1.0, 1e-6};
  options.schema.feature("x", {-1, 1}).feature("z", {-1, 1}).classes("y", 0, 1);
  options.loss = make_logistic_loss();
  options.release_every = 4;
  options.insecure_seed = 5;
  PrivIncErm memory(options);
  for (const Row& row : stream) {
    regression.observe(row.values, row.target);
    memory.observe(row.values, row.target);
  }
  EXPECT_EQ(regression.close("").back().model.theta, memory.model().theta);
  EXPECT_EQ(memory.calls(), 15U);
}

TEST_F(DurableErmTest, RemembersTheRequest) {
  StreamOptions options = logistic();
  options.horizon = Horizon::known(40);
  options.erm = ErmSettings{.rule = ErmTauRule::strongly_convex,
                            .ridge = 0.25,
                            .late_weight = 2.0,
                            .iterations = 17,
                            .batches = 2,
                            .averaged = false};
  const StreamOptions made = DurableRegression::create(path("model"), options).options();
  const ReleaseLog log(path("model"));
  ASSERT_TRUE(log.options().erm.has_value());
  const ErmSettings& erm = *log.options().erm;
  EXPECT_EQ(log.options().loss, "logistic");
  EXPECT_EQ(erm.mechanism, ErmMechanism::periodic);
  EXPECT_EQ(erm.method, ErmMethod::gradient_descent);
  EXPECT_EQ(erm.rule, ErmTauRule::strongly_convex);
  EXPECT_EQ(erm.tau, made.erm->tau);
  EXPECT_EQ(erm.ridge, 0.25);
  EXPECT_EQ(erm.late_weight, 2.0);
  EXPECT_EQ(erm.iterations, 17U);
  EXPECT_EQ(erm.batches, 2U);
  EXPECT_EQ(erm.averaged, false);
  EXPECT_EQ(log.options().schema.class_words(), options.schema.class_words());
  ASSERT_NE(log.plan().erm(), nullptr);
  EXPECT_EQ(log.plan().erm()->last_step(), 40U);
  EXPECT_EQ(log.plan().statistics_dimension(), 0U);
}

TEST_F(DurableErmTest, ItsRowsAreInTheSensitiveHalfAndInNoExport) {
  const std::string file = made_model(logistic());
  PlainSqlite database(file);
  std::string kept;
  for (const auto& part : database.rows("SELECT rows FROM sensitive_history ORDER BY part")) kept += part[0];
  ASSERT_EQ(kept.size(), 60U * 4 * 4);  // intercept, x, z, y; four bytes each
  // The rows themselves, on the lattice: x of the first one is half a lattice step from what it was at most.
  std::int32_t x = 0;
  std::memcpy(&x, kept.data() + 4, sizeof x);
  EXPECT_NEAR(x / 32768.0 * std::sqrt(3.0), labelled_rows(1)[0].values[0], 1e-3);
  EXPECT_EQ(database.value("PRAGMA user_version"), "2");

  ReleaseLog(file).export_to(path("public"));
  ReleaseLog(path("public")).verify();
  EXPECT_EQ(ReleaseLog(path("public")).at(15).model.theta, ReleaseLog(file).at(15).model.theta);
  const std::string exported = bytes_of(path("public"));
  for (std::size_t row = 0; row < 60; ++row) {
    EXPECT_EQ(exported.find(kept.substr(row * 16 + 4, 12)), std::string::npos) << row;
  }
  EXPECT_EQ(exported.find("sensitive"), std::string::npos);
}

TEST_F(DurableErmTest, AModelOfLeastSquaresIsStillOfTheFirstFormat) {
  DurableRegression::create(path("model"), store_testing::options());
  EXPECT_EQ(PlainSqlite(path("model")).value("PRAGMA user_version"), "1");
}

TEST_F(DurableErmTest, RowsThatWereChangedTakenAwayOrSetBackAreRefused) {
  const std::string file = made_model(logistic());
  const std::string sound = bytes_of(file);
  const auto refused_after = [&](const std::string& change) {
    write_bytes(file, sound);
    PlainSqlite(file).run(change);
    try {
      DurableRegression::open(file);
    } catch (const DamagedFile&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused_after("SELECT 1"));
  EXPECT_TRUE(refused_after("DELETE FROM sensitive_history WHERE part = 1"));
  EXPECT_TRUE(refused_after("DELETE FROM sensitive_history WHERE part = (SELECT max(part) FROM sensitive_history)"));
  EXPECT_TRUE(refused_after("DELETE FROM sensitive_history"));
  EXPECT_TRUE(refused_after("UPDATE sensitive_history SET rows = zeroblob(length(rows)) WHERE part = 3"));
  EXPECT_TRUE(
      refused_after("UPDATE sensitive_history SET rows = (SELECT rows FROM sensitive_history WHERE part = 4),"
                    " chain = (SELECT chain FROM sensitive_history WHERE part = 4) WHERE part = 3"));
  EXPECT_TRUE(refused_after("INSERT INTO sensitive_history SELECT part + 100, rows, chain FROM sensitive_history"));
  EXPECT_TRUE(refused_after("DROP TABLE sensitive_history"));
  EXPECT_TRUE(refused_after("PRAGMA user_version = 1"));
}

TEST_F(DurableErmTest, EndsWithItsHorizonThroughRestarts) {
  StreamOptions options = logistic(5);
  options.horizon = Horizon::known(8);
  const std::vector<Row> stream = labelled_rows(60);
  const std::string file = path("model");
  DurableRegression::create(file, options);
  std::size_t i = 0;
  std::uint64_t releases = 0;
  const auto run = [&] {
    DurableRegression regression = DurableRegression::open(file);
    for (std::size_t k = 0; k < 11; ++k, ++i) regression.observe(stream.at(i).values, stream.at(i).target);
    releases += regression.commit("").size();
  };
  EXPECT_THROW(
      {
        while (true) run();
      },
      HorizonExceeded);
  EXPECT_EQ(i, 40U);
  EXPECT_EQ(releases, 6U) << "33 of the 40 rows were committed";
}

TEST_F(DurableErmTest, HasNothingToRefitAndTakesNoBatches) {
  const std::string file = made_model(logistic());
  const ReleaseLog log(file);
  EXPECT_EQ(log.at(3).statistics.dimension, 0U);
  EXPECT_EQ(testing::refused_field([&] { (void)Refit::settings_of(log.options()); }), "mechanism");
  EXPECT_EQ(testing::refused_field([&] { (void)Refit(log.options(), {}, log.plan()); }), "mechanism");
  IncrementalRegression regression(logistic());
  EXPECT_EQ(testing::refused_field([&] { (void)regression.make_batch(); }), "mechanism");
}

TEST_F(DurableErmTest, ASurrogateIsFittedAgainFromItsExport) {
  StreamOptions options = logistic();
  options.erm.reset();
  options.mechanism = Mechanism::surrogate;
  options.surrogate_margin = 2.0;
  const std::string file = made_model(options);
  ReleaseLog(file).export_to(path("public"));
  const ReleaseLog log(path("public"));
  EXPECT_EQ(log.options().loss, "logistic");
  EXPECT_EQ(log.options().surrogate_margin, 2.0);
  Refit::Options same = Refit::settings_of(log.options());
  Refit refit(log.options(), same, log.plan());
  const Release last = log.at(15);
  EXPECT_EQ(refit.fit(last.statistics).theta, last.model.theta);
  Refit::Options wider = same;
  wider.surrogate_margin = 8.0;
  EXPECT_NE(Refit(log.options(), wider, log.plan()).fit(last.statistics).theta, last.model.theta);
}

TEST_F(DurableErmTest, WhatPrivIncErmHasNotIsRefusedByName) {
  const auto field = [](auto change) {
    StreamOptions options = logistic();
    change(options);
    return testing::refused_field([&] { IncrementalRegression{options}; });
  };
  EXPECT_EQ(field([](StreamOptions& o) { o.sketch = Sketch{.dimension = 2}; }), "mechanism");
  EXPECT_EQ(field([](StreamOptions& o) { o.strategy = StrategyKind::blt; }), "strategy");
  EXPECT_EQ(field([](StreamOptions& o) { o.buffers = 2; }), "buffers");
  EXPECT_EQ(field([](StreamOptions& o) { o.tree_decoding = TreeDecoding::optimal; }), "tree-decoding");
  EXPECT_EQ(field([](StreamOptions& o) { o.loss = "squared"; }), "loss");
  EXPECT_EQ(field([](StreamOptions& o) { o.loss = "cubic"; }), "loss");
  EXPECT_EQ(field([](StreamOptions& o) {
              o.erm.reset();
              o.surrogate_margin = -1.0;
            }),
            "margin");
}

}  // namespace
}  // namespace rivulet
