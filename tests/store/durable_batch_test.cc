// Batches absorbed by a model file.
#include <gtest/gtest.h>

#include "rivulet/durable_regression.h"
#include "rivulet/error.h"
#include "store/model_folder.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using store_testing::ModelFolder;
using store_testing::options;
using store_testing::rows;

class DurableBatchTest : public ModelFolder {
 protected:
  // What a worker that was given the same settings, and no file, sends.
  static SensitiveBatchBytes gathered(const std::vector<store_testing::Row>& stream, std::size_t begin,
                                      std::size_t end) {
    const IncrementalRegression worker(options());
    RowBatch batch = worker.make_batch();
    for (std::size_t i = begin; i < end; ++i) batch.observe(stream[i].values, stream[i].target);
    return SensitiveBatchBytes::received(batch.bytes_for_trusted_transport().view());
  }
};

TEST_F(DurableBatchTest, AbsorbedRowsAreCommittedLikeObservedOnes) {
  const auto stream = rows(30);
  const std::size_t every = options().release_every;
  const std::string observed = path("observed");
  std::vector<Release> expected;
  {
    DurableRegression regression = DurableRegression::create(observed, options());
    for (const auto& row : stream) regression.observe(row.values, row.target);
    expected = regression.close("end");
  }
  const std::string absorbed = path("absorbed");
  DurableRegression::create(absorbed, options());
  std::vector<Release> published;
  for (std::size_t i = 0; i < stream.size(); i += every) {
    const std::size_t middle = i + every / 2;
    {
      // A crash before the commit: the rows are as if never seen.
      DurableRegression regression = DurableRegression::open(absorbed);
      regression.absorb(regression.batch_from_trusted_transport(gathered(stream, middle, i + every)));
    }
    DurableRegression regression = DurableRegression::open(absorbed);
    EXPECT_EQ(regression.waiting_rows(), 0U);
    regression.absorb(regression.batch_from_trusted_transport(gathered(stream, middle, i + every)));
    regression.commit("half");
    EXPECT_EQ(regression.waiting_rows(), i + every - middle);
    RowBatch rest = regression.make_batch();
    for (std::size_t k = i; k < middle; ++k) rest.observe(stream[k].values, stream[k].target);
    EXPECT_TRUE(regression.absorb(std::move(rest)));
    for (Release& release : regression.commit("whole")) published.push_back(std::move(release));
  }
  ASSERT_EQ(published.size(), expected.size());
  for (std::size_t step = 0; step < published.size(); ++step) {
    EXPECT_EQ(published[step].statistics.gram, expected[step].statistics.gram);
    EXPECT_EQ(published[step].model.theta, expected[step].model.theta);
    EXPECT_EQ(published[step].chain, expected[step].chain);
  }
}

TEST_F(DurableBatchTest, AFileAndAStreamInMemorySayTheSameDigest) {
  StreamOptions with_file = options();
  const std::string file = path("m");
  const auto made = DurableRegression::create(file, with_file).promise_digest();
  EXPECT_EQ(DurableRegression::open(file).promise_digest(), made);
  EXPECT_EQ(IncrementalRegression(with_file).promise_digest(), made);
  with_file.insecure_seed.reset();
  EXPECT_EQ(IncrementalRegression(with_file).promise_digest(), made) << "a seed says nothing about rows";
  with_file.budget.delta *= 2.0;
  EXPECT_NE(IncrementalRegression(with_file).promise_digest(), made);
}

TEST_F(DurableBatchTest, ARefusedBatchLeavesTheModelUsable) {
  const auto stream = rows(30);
  DurableRegression regression = DurableRegression::create(path("m"), options());
  RowBatch large = regression.make_batch();
  for (const auto& row : stream) large.observe(row.values, row.target);
  EXPECT_EQ(testing::refused_field([&] { regression.absorb(std::move(large)); }), "batch");
  EXPECT_EQ(large.rows(), 30U);
  regression.observe(stream[0].values, stream[0].target);
  EXPECT_EQ(regression.waiting_rows(), 1U);
  (void)regression.commit("1");
}

}  // namespace
}  // namespace rivulet
