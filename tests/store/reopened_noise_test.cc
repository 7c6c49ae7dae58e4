// The noise of a stream that was taken up from its file: as wide as promised, and never drawn from anything stored.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "rivulet/durable_regression.h"
#include "store/model_folder.h"

namespace rivulet {
namespace {

constexpr std::size_t kFeatures = 40;

// Secure noise, and rows that add nothing: what is released is noise alone.
StreamOptions noise_alone() {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(kFeatures);
  return options;
}

Release next_release(const std::string& file) {
  DurableRegression regression = DurableRegression::open(file);
  regression.observe(std::vector<double>(kFeatures, std::numeric_limits<double>::quiet_NaN()), 0.0);
  return regression.commit("").at(0);
}

// Mean square of all released numbers, each in units of its stated standard deviation.
double relative_variance(const Statistics& statistics) {
  double sum = std::pow(statistics.target_square / statistics.target_square_stddev, 2);
  std::size_t count = 1;
  const auto add = [&](double value, double stddev) {
    sum += std::pow(value / stddev, 2);
    ++count;
  };
  for (std::size_t i = 0; i < kFeatures; ++i) {
    for (std::size_t j = 0; j < i; ++j) add(statistics.gram[i * kFeatures + j], statistics.noise.gram_offdiagonal);
    add(statistics.gram[i * kFeatures + i], statistics.noise.gram_diagonal);
    add(statistics.cross[i], statistics.noise.cross);
  }
  EXPECT_EQ(count, kFeatures * (kFeatures + 1) / 2 + kFeatures + 1);
  return sum / static_cast<double>(count);
}

class ReopenedNoiseTest : public store_testing::ModelFolder {};

// 861 numbers: the mean square has a standard deviation of 4.8%, so that 1 +- 0.27 raises a false alarm with
// probability below 1e-7 a release. Noise of half the width has 0.25.
TEST_F(ReopenedNoiseTest, IsAsWideAtEveryStepAsTheReleaseSays) {
  DurableRegression::create(path("m"), noise_alone());
  for (int step = 1; step <= 3; ++step) {
    const Release release = next_release(path("m"));
    ASSERT_EQ(release.statistics.step, static_cast<std::uint64_t>(step));
    EXPECT_NEAR(relative_variance(release.statistics), 1.0, 0.27) << "step " << step;
  }
}

TEST_F(ReopenedNoiseTest, IsDrawnAfreshByEveryCopyOfTheFile) {
  DurableRegression::create(path("m"), noise_alone());
  (void)next_release(path("m"));
  std::filesystem::copy_file(path("m"), path("copy"));
  const Statistics one = next_release(path("m")).statistics;
  const Statistics other = next_release(path("copy")).statistics;
  for (std::size_t i = 0; i < one.gram.size(); ++i) EXPECT_NE(one.gram[i], other.gram[i]) << i;
}

}  // namespace
}  // namespace rivulet
