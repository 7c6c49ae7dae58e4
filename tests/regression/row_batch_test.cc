// Batches that travel as bytes between streams with the same promise.
#include "rivulet/row_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "rivulet/error.h"
#include "rivulet/priv_inc_erm.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/priv_inc_reg2.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

StreamOptions options(std::uint64_t release_every) {
  StreamOptions result;
  result.budget = {1.0, 1e-6};
  result.schema.feature("a", {-1.0, 1.0}).feature("b", {0.0, 3.0}).categorical("c", {"x", "y"});
  result.schema.target("y", {-2.0, 2.0});
  result.release_every = release_every;
  result.insecure_seed = 5;
  return result;
}

struct Row {
  std::array<double, 3> values;
  double target;
};

std::vector<Row> rows(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 3.0);
  std::vector<Row> result(count);
  for (Row& row : result) {
    row = {{uniform(random), uniform(random), random() % 2 == 0 ? 1.0 : 0.0}, uniform(random)};
  }
  return result;
}

std::string sent(const RowBatch& batch) {
  return std::string(batch.bytes_for_trusted_transport().view());
}

TEST(RowBatch, AnySplitOverProcessesMergedInAnyOrderGivesTheBitsOfOneStream) {
  StreamOptions sketched = options(400);
  sketched.sketch.emplace();
  sketched.sketch->dimension = 3;
  sketched.sketch->seed = 9;
  for (const StreamOptions& request : {options(400), sketched}) {
    const std::vector<Row> all = rows(400);
    IncrementalRegression whole(request);
    for (const Row& row : all) whole.observe(row.values, row.target);
    std::mt19937_64 random(3);
    for (const std::size_t parts : {1U, 2U, 3U, 7U, 20U}) {
      std::vector<std::string> arrived;
      std::vector<RowBatch> gathered;
      const IncrementalRegression worker(request);  // shares nothing with the stream but its settings
      for (std::size_t i = 0; i < parts; ++i) gathered.push_back(worker.make_batch());
      for (const Row& row : all) gathered[random() % parts].observe(row.values, row.target);
      for (const RowBatch& batch : gathered) arrived.push_back(sent(batch));
      std::shuffle(arrived.begin(), arrived.end(), random);
      IncrementalRegression stream(request);
      EXPECT_EQ(stream.promise_digest(), worker.promise_digest());
      RowBatch merged = stream.make_batch();
      for (std::size_t i = 0; i < parts; ++i) {
        RowBatch one = stream.batch_from_trusted_transport(SensitiveBatchBytes::received(arrived[i]));
        if (i % 2 == 0) {
          merged.merge(std::move(one));
        } else {
          EXPECT_FALSE(stream.absorb(std::move(one)));
        }
      }
      EXPECT_TRUE(stream.absorb(std::move(merged)));
      EXPECT_EQ(stream.statistics().gram, whole.statistics().gram);
      EXPECT_EQ(stream.statistics().cross, whole.statistics().cross);
      EXPECT_EQ(stream.model().theta, whole.model().theta);
    }
  }
}

TEST(RowBatch, DamagedBytesAndThoseOfAnotherPromiseAreRefusedEachInItsWay) {
  const IncrementalRegression stream(options(100));
  RowBatch batch = stream.make_batch();
  batch.observe(rows(1)[0].values, 1.0);
  std::string bytes = sent(batch);
  StreamOptions wider = options(100);
  wider.budget.epsilon = 2.0;
  IncrementalRegression other(wider);
  EXPECT_EQ(
      testing::refused_field([&] { (void)other.batch_from_trusted_transport(SensitiveBatchBytes::received(bytes)); }),
      "batch");
  EXPECT_EQ(testing::refused_field([&] { other.absorb(std::move(batch)); }), "batch");
  EXPECT_EQ(batch.rows(), 1U);
  EXPECT_EQ(other.waiting_rows(), 0U);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW((void)stream.batch_from_trusted_transport(SensitiveBatchBytes::received(bytes)), DamagedFile);
  EXPECT_THROW((void)stream.batch_from_trusted_transport(SensitiveBatchBytes::received("")), DamagedFile);
}

TEST(RowBatch, OfMoreRowsThanTheStepHasRoomForStaysAsItWas) {
  IncrementalRegression stream(options(10));
  const std::vector<Row> all = rows(11);
  RowBatch batch = stream.make_batch();
  for (const Row& row : all) batch.observe(row.values, row.target);
  EXPECT_EQ(testing::refused_field([&] { stream.absorb(std::move(batch)); }), "batch");
  EXPECT_EQ(batch.rows(), 11U);
}

TEST(RowBatch, IsRefusedWithItsReasonWhereRowsCountInTheirOrder) {
  StreamOptions units = options(10);
  units.unit = PrivacyUnit{"person", 3};
  IncrementalRegression by_unit(units);
  EXPECT_NE(testing::refusal([&] { (void)by_unit.make_batch(); }).find("the first rows of a unit count"),
            std::string::npos);
  const IncrementalRegression plain(options(10));
  RowBatch batch = plain.make_batch();
  EXPECT_EQ(
      testing::refused_field([&] { (void)by_unit.batch_from_trusted_transport(batch.bytes_for_trusted_transport()); }),
      "unit");
  EXPECT_EQ(testing::refused_field([&] { by_unit.absorb(std::move(batch)); }), "batch");

  StreamOptions kept = options(10);
  kept.erm.emplace();
  IncrementalRegression erm(kept);
  EXPECT_NE(testing::refusal([&] { (void)erm.make_batch(); }).find("keeps them all"), std::string::npos);
  EXPECT_EQ(testing::refused_field([&] { erm.absorb(std::move(batch)); }), "mechanism");
}

}  // namespace
}  // namespace rivulet
