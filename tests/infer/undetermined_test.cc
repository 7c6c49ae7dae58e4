// Too few rows, too much noise, matrices that are no Gram matrices: the answers are defined, and none is a NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "infer/sums.h"
#include "rivulet/inference.h"

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Schema features(std::size_t count, bool intercept = true) {
  Schema schema;
  schema.intercept(intercept);
  for (std::size_t i = 0; i < count; ++i) schema.feature("x" + std::to_string(i), {0.0, 10.0});
  schema.target("y", {-5.0, 5.0});
  return schema;
}

// Everything a caller can read is a number, and the numbers agree with each other.
void expect_defined(const Inference& inference, std::size_t width) {
  for (const CoefficientInterval& c : inference.coefficients()) {
    EXPECT_TRUE(std::isfinite(c.estimate)) << c.name;
    EXPECT_GE(c.standard_error, c.naive_standard_error) << c.name;
    EXPECT_GE(c.naive_standard_error, 0.0) << c.name;
    EXPECT_LE(c.lower, c.estimate) << c.name;
    EXPECT_GE(c.upper, c.estimate) << c.name;
    EXPECT_GE(c.p_value, 0.0) << c.name;
    EXPECT_LE(c.p_value, 1.0) << c.name;
    if (c.determined) continue;
    EXPECT_EQ(c.lower, -kInfinity) << c.name;
    EXPECT_EQ(c.upper, kInfinity) << c.name;
    EXPECT_EQ(c.standard_error, kInfinity) << c.name;
    EXPECT_EQ(c.p_value, 1.0) << c.name;
    EXPECT_STREQ(Inference::mark(c), "") << c.name;
  }
  EXPECT_GE(inference.residual_stddev(), 0.0);
  EXPECT_GE(inference.r_squared(), 0.0);
  EXPECT_LE(inference.r_squared(), 1.0);
  EXPECT_GE(inference.r_squared_stddev(), 0.0);
  EXPECT_GE(inference.usable_rows(), 0.0);
  const PredictionInterval p = inference.predict(std::vector<double>(width, 3.0));
  EXPECT_TRUE(std::isfinite(p.value));
  EXPECT_LE(p.lower, p.value);
  EXPECT_GE(p.upper, p.value);
}

void expect_nothing_determined(const Inference& inference) {
  for (const CoefficientInterval& c : inference.coefficients()) EXPECT_FALSE(c.determined) << c.name;
  EXPECT_FALSE(inference.determined());
  EXPECT_EQ(inference.residual_stddev(), kInfinity);
  EXPECT_EQ(inference.r_squared(), 0.0);
  EXPECT_EQ(inference.r_squared_stddev(), kInfinity);
}

Statistics random_statistics(std::size_t d, double diagonal, double sigma, std::uint64_t rows,
                             std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Statistics statistics;
  statistics.step = 1;
  statistics.rows = rows;
  statistics.dimension = d;
  statistics.gram.resize(d * d);
  statistics.cross.resize(d);
  statistics.noise = {sigma, sigma / std::sqrt(2.0), sigma};
  statistics.has_target_square = true;
  statistics.target_square_stddev = sigma;
  statistics.target_square = sigma * normal(random) + diagonal;
  for (std::size_t i = 0; i < d; ++i) {
    statistics.gram[i * d + i] = diagonal + sigma * normal(random);
    statistics.cross[i] = sigma * normal(random);
    for (std::size_t j = 0; j < i; ++j) {
      statistics.gram[i * d + j] = statistics.gram[j * d + i] = sigma / std::sqrt(2.0) * normal(random);
    }
  }
  return statistics;
}

TEST(NotDetermined, NoRowsAtAll) {
  for (const bool intercept : {true, false}) {
    const Inference inference(features(3, intercept), testing::Sums(features(3, intercept)).statistics());
    expect_nothing_determined(inference);
    expect_defined(inference, 3);
  }
}

TEST(NotDetermined, OneRow) {
  for (const bool intercept : {true, false}) {
    testing::Sums sums(features(2, intercept));
    sums.add(std::vector<double>{1.0, 9.0}, 2.0);
    const Inference inference(features(2, intercept), sums.statistics());
    expect_nothing_determined(inference);
    expect_defined(inference, 2);
  }
}

TEST(NotDetermined, MoreCoordinatesThanRows) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 10.0);
  for (int rows = 1; rows <= 12; ++rows) {
    testing::Sums sums(features(8));
    for (int i = 0; i < rows; ++i) {
      std::vector<double> values(8);
      for (double& value : values) value = uniform(random);
      sums.add(values, uniform(random) - 5.0);
    }
    const Inference inference(features(8), sums.statistics());
    expect_defined(inference, 8);
    const auto determined = std::count_if(inference.coefficients().begin(), inference.coefficients().end(),
                                          [](const CoefficientInterval& c) { return c.determined; });
    // Nine coordinates and a residual variance need ten rows; nine rows would be fitted exactly.
    EXPECT_EQ(inference.determined(), rows >= 10) << rows;
    EXPECT_LT(determined, rows) << rows;
  }
}

TEST(NotDetermined, AGramMatrixOfNothingButNoise) {
  std::mt19937_64 random(4);
  // With one coordinate or ten, the largest eigenvalue of pure noise passes the limit with a probability below
  // P(N(0,1) > 5.4) = 3e-8; 2000 trials: 1e-4, and the seed is fixed.
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t d = 1 + static_cast<std::size_t>(trial) % 10;
    const Inference inference(features(d, false), random_statistics(d, 0.0, 7.0, 1000000, random));
    expect_nothing_determined(inference);
    expect_defined(inference, d);
  }
}

TEST(NotDetermined, AnIndefiniteMatrixKeepsWhatIsGoodInIt) {
  std::mt19937_64 random(5);
  Statistics statistics = random_statistics(3, 0.0, 0.0, 1000, random);
  statistics.gram = {300.0, 0.0, 0.0, 0.0, -100.0, 0.0, 0.0, 0.0, 300.0};
  statistics.cross = {30.0, 10.0, 60.0};
  statistics.target_square = 50.0;
  const Inference inference(features(3, false), statistics);
  expect_defined(inference, 3);
  EXPECT_TRUE(inference.coefficients()[0].determined);
  EXPECT_FALSE(inference.coefficients()[1].determined);
  EXPECT_EQ(inference.coefficients()[1].estimate, 0.0);
  EXPECT_TRUE(inference.coefficients()[2].determined);
  // A row that needs the bad coordinate has no prediction interval; one that does not has.
  EXPECT_EQ(inference.predict(std::vector<double>{1.0, 1.0, 1.0}).upper, kInfinity);
  EXPECT_TRUE(std::isfinite(inference.predict(std::vector<double>{1.0, 0.0, 1.0}).upper));
}

TEST(NotDetermined, WithoutADeterminedInterceptNothingIs) {
  std::mt19937_64 random(6);
  Statistics statistics = random_statistics(2, 1000.0, 1.0, 1000, random);
  statistics.gram[0] = 2.0;
  const Inference inference(features(1), statistics);
  expect_nothing_determined(inference);
  expect_defined(inference, 1);
}

TEST(NotDetermined, AnEdgeOfNoiseAndSizeNeverMakesANaN) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-40.0, 40.0);
  for (int trial = 0; trial < 5000; ++trial) {
    const std::size_t d = 1 + static_cast<std::size_t>(trial) % 6;
    const bool intercept = trial % 2 == 0;
    const double diagonal = trial % 5 == 0 ? 0.0 : std::pow(10.0, exponent(random));
    const double sigma = trial % 7 == 0 ? 0.0 : std::pow(10.0, exponent(random));
    const auto rows = static_cast<std::uint64_t>(std::pow(10.0, std::abs(exponent(random)) / 3.0)) - 1;
    Statistics statistics = random_statistics(d, diagonal, sigma, rows, random);
    if (trial % 3 == 0) statistics.target_square = -statistics.target_square;
    if (trial % 11 == 0) std::fill(statistics.cross.begin(), statistics.cross.end(), 0.0);
    expect_defined(Inference(features(intercept ? d - 1 : d, intercept), statistics), intercept ? d - 1 : d);
  }
}

TEST(NotDetermined, BoundsAtTheEndsOfTheRangeOfDoublesNeverMakeANaN) {
  Schema schema;
  schema.feature("narrow", {0.0, 1e-99}).feature("vast", {-1e308, 1e308}).target("y", {-1e308, 1.7e308});
  std::mt19937_64 random(8);
  const Inference inference(schema, random_statistics(3, 1e4, 10.0, 30000, random));
  for (const CoefficientInterval& c : inference.coefficients()) {
    EXPECT_TRUE(std::isfinite(c.estimate)) << c.name;
    EXPECT_FALSE(std::isnan(c.lower) || std::isnan(c.upper) || std::isnan(c.standard_error) || std::isnan(c.p_value));
  }
  EXPECT_FALSE(std::isnan(inference.residual_stddev()));
  const PredictionInterval p = inference.predict(std::vector<double>{0.0, 0.0});
  EXPECT_FALSE(std::isnan(p.value) || std::isnan(p.lower) || std::isnan(p.upper));
}

}  // namespace
}  // namespace rivulet
