#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sketch/maps.h"
#include "sketch/public_random.h"
#include "support/statistics.h"

namespace rivulet::sketch {
namespace {

using testing::kTwoSidedMillionth;
using testing::normal_cdf;

// The distribution function has to give the probability back: through erfc of the C library, which shares nothing with
// the formula. A relative error r of the quantile z shows as about z^2 r, z^2 being 40 at most.
TEST(NormalQuantile, InvertsTheDistributionFunctionOverTheWholeRange) {
  const auto check = [](std::uint32_t word) {
    const double p = (static_cast<double>(word) + 0.5) * 0x1p-32;
    EXPECT_NEAR(normal_cdf(normal_quantile(word)) / p, 1.0, 4e-14) << word;
  };
  for (std::uint32_t word = 0; word < 2000; ++word) check(word);
  for (std::uint32_t word = 0; word < 0x80000000U - 65537U; word += 65537U) check(word);
}

// Both sides of |p - 1/2| = 0.425, where the formula changes.
TEST(NormalQuantile, GrowsWithTheWordAlsoWhereTheFormulaChanges) {
  const auto border = static_cast<std::uint32_t>(0.075 * 0x1p32);
  for (std::uint32_t word = border - 1000; word < border + 1000; ++word) {
    ASSERT_LT(normal_quantile(word), normal_quantile(word + 1)) << word;
  }
}

TEST(NormalQuantile, IsOddToTheLastBit) {
  for (std::uint32_t word = 0; word < 0x80000000U - 99991U; word += 99991U) {
    ASSERT_EQ(normal_quantile(word), -normal_quantile(~word)) << word;
  }
  EXPECT_NEAR(normal_quantile(0), -6.337958, 1e-6);
}

TEST(NormalQuantile, ManyAtOnceAreTheSameNumbers) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, kPieceLength}) {
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::uint32_t>(i * 0x9E3779B97F4A7C15U >> 32);
    if (count > 2) words[1] = 0, words[2] = 0xffffffff;
    std::vector<float> out(count);
    normal_entries(words, 0.05, out);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], static_cast<float>(0.05 * normal_quantile(words[i])));
  }
}

// Two million entries, brought back to variance 1.
class GaussianEntries : public ::testing::Test {
 protected:
  GaussianEntries() {
    const auto map = make_embedding(gaussian(400, 5000));
    values_.reserve(map->rows() * map->columns());
    for (std::size_t column = 0; column < map->columns(); ++column) {
      for (const double entry : column_of(*map, column)) values_.push_back(entry * 20.0);
    }
  }

  [[nodiscard]] double root() const { return std::sqrt(static_cast<double>(values_.size())); }

  // The mean of the p-th powers less that of N(0, 1), in standard deviations.
  [[nodiscard]] double moment_deviation(int power, double factor = 1.0) const {
    constexpr double mean[] = {1.0, 0.0, 1.0, 0.0, 3.0, 0.0, 15.0, 0.0, 105.0};
    double sum = 0.0;
    for (const double value : values_) sum += std::pow(factor * value, power);
    const double stddev = std::sqrt(mean[2 * power] - mean[power] * mean[power]);
    return (sum / (root() * root()) - mean[power]) * root() / stddev;
  }

  // sqrt(n) times Kolmogorov's distance from N(0, 1).
  [[nodiscard]] double kolmogorov(double factor = 1.0) const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<double>(sorted.size());
    double distance = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double p = normal_cdf(factor * sorted[i]);
      const auto below = static_cast<double>(i);
      distance = std::max({distance, p - below / n, (below + 1.0) / n - p});
    }
    return distance * root();
  }

  [[nodiscard]] double correlation(std::size_t lag) const {
    double sum = 0.0;
    for (std::size_t i = lag; i < values_.size(); ++i) sum += values_[i] * values_[i - lag];
    return sum / root();
  }

  std::vector<double> values_;
};

// False alarm: 1e-6 for each moment. A variance that is wrong by 1% is ten standard deviations away and missed with
// probability 1e-6.
TEST_F(GaussianEntries, HaveTheMomentsOfTheNormalLaw) {
  for (int power = 1; power <= 4; ++power) EXPECT_LT(std::fabs(moment_deviation(power)), kTwoSidedMillionth) << power;
  EXPECT_GT(moment_deviation(2, std::sqrt(1.01)), kTwoSidedMillionth);
  EXPECT_LT(moment_deviation(2, std::sqrt(0.99)), -kTwoSidedMillionth);
}

// Massart's form of the inequality of Dvoretzky, Kiefer and Wolfowitz: P(sqrt(n) D > x) <= 2 exp(-2 x^2), here 1e-6.
// A standard deviation wrong by 2% moves the law by 0.0048, and is missed with probability below 1e-13.
TEST_F(GaussianEntries, HaveTheDistributionFunctionOfTheNormalLaw) {
  const double limit = std::sqrt(std::log(2e6) / 2.0);
  EXPECT_LT(kolmogorov(), limit);
  EXPECT_GT(kolmogorov(1.02), limit);
  EXPECT_GT(kolmogorov(0.98), limit);
}

// Neighbours in a column, in one group of the generator, in a row. False alarm: 1e-6 for each lag.
TEST_F(GaussianEntries, AreUncorrelated) {
  for (const std::size_t lag : {1, 2, 3, 4, 256, 399, 400, 401}) {
    EXPECT_LT(std::fabs(correlation(lag)), kTwoSidedMillionth) << lag;
  }
}

}  // namespace
}  // namespace rivulet::sketch
