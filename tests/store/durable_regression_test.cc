#include "rivulet/durable_regression.h"

#include <gtest/gtest.h>

#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "store/model_folder.h"

namespace rivulet {
namespace {

using store_testing::ModelFolder;
using store_testing::options;
using store_testing::rows;
using store_testing::with_strategy;

class DurableRegressionTest : public ModelFolder {};

bool same(const Statistics& a, const Statistics& b) {
  return a.step == b.step && a.rows == b.rows && a.gram == b.gram && a.cross == b.cross &&
         a.target_square == b.target_square && a.target_square_stddev == b.target_square_stddev &&
         a.noise.gram_diagonal == b.noise.gram_diagonal && a.noise.cross == b.noise.cross;
}

TEST_F(DurableRegressionTest, InterruptedAfterEveryRowItPublishesWhatAnUninterruptedStreamWould) {
  const auto stream = rows(40);
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const std::string file = path(std::string(to_string(kind)));
    std::vector<Release> published;
    DurableRegression::create(file, with_strategy(kind));
    for (std::size_t i = 0; i < stream.size(); ++i) {
      DurableRegression regression = DurableRegression::open(file);
      ASSERT_EQ(regression.source(), i == 0 ? "" : "after " + std::to_string(i));
      regression.observe(stream[i].values, stream[i].target);
      for (Release& release : regression.commit("after " + std::to_string(i + 1)))
        published.push_back(std::move(release));
    }
    PrivIncReg1 uninterrupted(with_strategy(kind));
    std::size_t step = 0;
    for (const auto& row : stream) {
      if (!uninterrupted.observe(row.values, row.target)) continue;
      ASSERT_LT(step, published.size());
      EXPECT_TRUE(same(published[step].statistics, uninterrupted.statistics())) << to_string(kind) << step;
      EXPECT_EQ(published[step].model.theta, uninterrupted.model().theta);
      ++step;
    }
    EXPECT_EQ(step, published.size());

    const ReleaseLog log(file);
    ASSERT_EQ(log.last_step(), published.size());
    log.verify();
    std::size_t seen = 0;
    log.for_each(1, 1000, [&](const Release& release) {
      EXPECT_TRUE(same(release.statistics, published[seen].statistics));
      EXPECT_EQ(release.model.theta, published[seen].model.theta);
      EXPECT_EQ(release.chain, published[seen].chain);
      ++seen;
    });
    EXPECT_EQ(seen, published.size());
  }
}

TEST_F(DurableRegressionTest, WhatWasNotCommittedIsAsIfNeverSeen) {
  const auto stream = rows(30);
  const std::string file = path("m");
  {
    DurableRegression regression = DurableRegression::create(file, options());
    for (std::size_t i = 0; i < 10; ++i) regression.observe(stream[i].values, stream[i].target);
    EXPECT_EQ(regression.commit("10").size(), 3U);
    for (std::size_t i = 10; i < 20; ++i) regression.observe(stream[i].values, stream[i].target);
    EXPECT_EQ(regression.waiting_releases(), 3U);
  }
  DurableRegression regression = DurableRegression::open(file);
  EXPECT_EQ(regression.source(), "10");
  EXPECT_EQ(regression.committed_step(), 3U);
  EXPECT_EQ(regression.waiting_rows(), 1U);
}

TEST_F(DurableRegressionTest, RowsThroughANamedDoorAreCountedUnderItsNameAndLeaveTheSourceAsItWas) {
  const auto stream = rows(30);
  const std::string file = path("m");
  const auto feed = [&](std::size_t from, std::size_t to, const std::string& door) {
    DurableRegression regression = DurableRegression::open(file);
    if (!door.empty()) regression.set_door(door);
    for (std::size_t i = from; i < to; ++i) regression.observe(stream[i].values, stream[i].target);
    regression.commit(regression.source());
    // Not committed: as if never seen, here as everywhere.
    regression.observe(stream[0].values, stream[0].target);
  };
  DurableRegression::create(file, options()).commit("rivulet doors 1 is what this source begins with");
  feed(0, 5, "");
  EXPECT_TRUE(DurableRegression::doors_of(file).empty()) << "the source tells of them";
  feed(5, 9, "python");
  feed(9, 10, "python");
  feed(10, 10, "other");
  feed(10, 16, "other");
  feed(16, 18, "python");
  const std::vector<Door> expected{{"python", 5}, {"other", 6}, {"python", 2}};
  EXPECT_EQ(DurableRegression::doors_of(file), expected);
  EXPECT_EQ(DurableRegression::source_of(file), "rivulet doors 1 is what this source begins with");
  const DurableRegression regression = DurableRegression::open(file);
  EXPECT_EQ(regression.doors(), expected);
  EXPECT_EQ(regression.rows(), 18U);
}

TEST_F(DurableRegressionTest, ASecondWriterIsRefusedWhileTheFirstLivesAndAReaderIsNot) {
  const std::string file = path("m");
  {
    DurableRegression first = DurableRegression::create(file, options(1));
    first.observe(std::vector{0.1, 0.2}, 0.3);
    first.commit("1");
    EXPECT_THROW(DurableRegression::open(file), ModelConflict);
    EXPECT_EQ(ReleaseLog(file).last_step(), 1U);
    first.observe(std::vector{0.1, 0.2}, 0.3);
    first.commit("2");
    EXPECT_EQ(ReleaseLog(file).last_step(), 2U);
  }
  EXPECT_NO_THROW(DurableRegression::open(file));
}

TEST_F(DurableRegressionTest, AnOlderCopyBehindPublishedReleasesIsRefused) {
  const std::string file = path("m");
  std::vector<Release> published;
  std::string older;
  {
    DurableRegression regression = DurableRegression::create(file, options(1));
    for (int i = 0; i < 3; ++i) regression.observe(std::vector{0.1, 0.2}, 0.3);
    for (auto& release : regression.close("3")) published.push_back(release);
  }
  older = bytes_of(file);
  {
    DurableRegression regression = DurableRegression::open(file);
    for (int i = 0; i < 3; ++i) regression.observe(std::vector{0.1, 0.2}, 0.3);
    for (auto& release : regression.close("6")) published.push_back(release);
    regression.require_published(6, published[5].chain);
    regression.require_published(2, published[1].chain);
    EXPECT_THROW(regression.require_published(2, published[2].chain), ModelConflict);
  }
  write_bytes(file, older);
  const DurableRegression regression = DurableRegression::open(file);
  EXPECT_THROW(regression.require_published(6, published[5].chain), ModelConflict);
  regression.require_published(3, published[2].chain);
}

TEST_F(DurableRegressionTest, TheModelIsItsOwnersAloneAndTheExportHoldsNoSensitiveTable) {
  const std::string file = path("m");
  {
    DurableRegression regression = DurableRegression::create(file, options(1));
    for (const auto& row : rows(20)) regression.observe(row.values, row.target);
    regression.commit("the position");
    EXPECT_EQ(std::filesystem::status(file + "-wal").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    regression.close("the position");
  }
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  ReleaseLog(file).export_to(path("public"));
  const ReleaseLog exported(path("public"));
  EXPECT_TRUE(exported.is_export());
  EXPECT_EQ(exported.last_step(), 20U);
  EXPECT_TRUE(same(exported.at(20).statistics, ReleaseLog(file).at(20).statistics));
  const std::string bytes = bytes_of(path("public"));
  for (const char* word : {"sensitive", "rivulet kernel", "the position", "public_state"}) {
    EXPECT_EQ(bytes.find(word), std::string::npos) << word;
    EXPECT_NE(bytes_of(file).find(word), std::string::npos) << word;
  }
  EXPECT_THROW(DurableRegression::open(path("public")), DamagedFile);
  EXPECT_THROW(ReleaseLog(file).export_to(path("public")), IoError);
}

}  // namespace
}  // namespace rivulet
