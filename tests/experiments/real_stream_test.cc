// docs/results in small: fewer seeds, shorter streams, wider margins.
#include "real_stream.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "experiment.h"

namespace rivulet::experiments {
namespace {

RealStream stream_of(const std::string& name, std::uint64_t limit = UINT64_MAX) {
  const std::string base = std::string(RIVULET_SOURCE_DIR) + "/data/" + name;
  return {base + ".csv.gz", base + ".toml", limit};
}

Sample final_r_squared(const RealStream& stream, double epsilon, int seeds) {
  Sample sample;
  StreamOptions options = stream.options();
  options.budget.epsilon = epsilon;
  options.release_every = 100;
  for (int seed = 1; seed <= seeds; ++seed) {
    options.insecure_seed = static_cast<std::uint64_t>(seed);
    sample.add(stream.fit(options).back().r_squared);
  }
  return sample;
}

TEST(RealStream, DiamondsAtEpsilonOneComeCloseToLeastSquares) {
  const RealStream stream = stream_of("diamonds");
  ASSERT_EQ(stream.rows(), 53940U);
  EXPECT_NEAR(stream.checkpoints().back().least_squares, 0.9792, 0.0005);
  const Sample one = final_r_squared(stream, 1.0, 5);
  std::printf("diamonds, epsilon = 1: R^2 %.4f (worst %.4f) of 5 seeds\n", one.mean(), one.least());
  EXPECT_GE(one.mean(), 0.95);
  EXPECT_GE(one.least(), 0.90);
  EXPECT_LT(one.largest(), stream.checkpoints().back().least_squares);
  EXPECT_GT(final_r_squared(stream, 8.0, 2).mean(), one.mean());
  EXPECT_LT(final_r_squared(stream, 0.1, 2).mean(), one.mean());
}

TEST(RealStream, APrefixOfTheFlightsIsEnoughForMostOfWhatThereIsToLearn) {
  const RealStream stream = stream_of("flights", 64000);
  ASSERT_EQ(stream.rows(), 64000U);
  const double best = stream.checkpoints().back().least_squares;
  EXPECT_NEAR(best, 0.8133, 0.0005);
  EXPECT_GE(final_r_squared(stream, 1.0, 4).mean(), best - 0.06);
  EXPECT_LT(stream.checkpoints().back().trivial, 0.0);
}

TEST(RealStream, AWeakSignalIsFoundAmongManyRows) {
  const RealStream stream = stream_of("fertility");
  ASSERT_EQ(stream.rows(), 254654U);
  const double best = stream.checkpoints().back().least_squares;
  EXPECT_NEAR(best, 0.0438, 0.0005);
  EXPECT_GE(final_r_squared(stream, 1.0, 3).mean(), best - 0.005);
}

TEST(RealStream, TheSameSeedGivesTheSameFitsAndAnotherSeedOthers) {
  const RealStream stream = stream_of("diamonds", 4000);
  StreamOptions options = stream.options();
  options.insecure_seed = 1;
  const auto first = stream.fit(options);
  const auto again = stream.fit(options);
  options.insecure_seed = 2;
  const auto other = stream.fit(options);
  ASSERT_EQ(first.size(), 3U);  // 1000, 2000, 4000
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].r_squared, again[i].r_squared);
    EXPECT_EQ(first[i].coefficient, again[i].coefficient);
    EXPECT_NE(first[i].r_squared, other[i].r_squared);
  }
}

}  // namespace
}  // namespace rivulet::experiments
