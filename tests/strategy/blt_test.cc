#include "strategy/blt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rivulet::strategy {
namespace {

double prefix_stddev(const BltParameters& blt, std::optional<std::uint64_t> horizon, std::uint64_t step) {
  return blt.column_norm(horizon) * std::sqrt(blt.prefix_variance(step));
}

TEST(SqrtToeplitz, AgreesWithTheDefinitionOnBothSidesOfTheSwitchToTheExpansion) {
  for (std::uint64_t steps : {1ULL, 2ULL, 3ULL, 100ULL, 4095ULL, 4096ULL, 4097ULL, 5000ULL, 100000ULL, 1000000ULL}) {
    long double sum = 0.0L;
    long double c = 1.0L;
    for (std::uint64_t i = 0; i < steps; ++i) {
      sum += c * c;
      c *= (2.0L * static_cast<long double>(i) + 1.0L) / (2.0L * static_cast<long double>(i) + 2.0L);
    }
    EXPECT_NEAR(sqrt_toeplitz_stddev(steps) / static_cast<double>(sum), 1.0, 1e-13) << steps;
  }
}

TEST(SqrtToeplitz, HasThePublishedValues) {
  EXPECT_NEAR(sqrt_toeplitz_stddev(1024), 3.273, 5e-4);
  EXPECT_NEAR(sqrt_toeplitz_stddev(10000), 3.998, 5e-4);
  EXPECT_NEAR(sqrt_toeplitz_stddev(100000), 4.731, 5e-4);
  EXPECT_NEAR(sqrt_toeplitz_stddev(1000000), 5.464, 5e-4);
}

TEST(BltDesign, ReproducesThePublishedParametersForAHundredThousandStepsAndTwoBuffers) {
  const BltParameters blt = design_blt(100000, 2);
  EXPECT_NEAR((1.0 - blt.theta_gap()[0]) / 0.9999528892, 1.0, 1e-6);
  EXPECT_NEAR((1.0 - blt.theta_gap()[1]) / 0.9857068667, 1.0, 1e-6);
  EXPECT_NEAR(blt.omega()[0] / 0.0122853238, 1.0, 1e-6);
  EXPECT_NEAR(blt.omega()[1] / 0.1878393665, 1.0, 1e-6);
}

TEST(BltDesign, HasTheKnownErrorsForThreeFourAndFiveBuffers) {
  const struct {
    std::uint64_t steps;
    double errors[3];
  } table[] = {{1024, {3.278, 3.273, 3.273}},
               {10000, {4.033, 4.003, 3.999}},
               {100000, {4.854, 4.758, 4.736}},
               {1000000, {5.766, 5.548, 5.487}}};
  for (const auto& row : table) {
    for (unsigned buffers = 3; buffers <= 5; ++buffers) {
      const BltParameters blt = design_blt(row.steps, buffers);
      EXPECT_NEAR(prefix_stddev(blt, row.steps, row.steps), row.errors[buffers - 3], 1.1e-3)
          << row.steps << " " << buffers;
    }
  }
}

TEST(BltDesign, IsWithinOnePercentOfTheOptimumForEveryKnownHorizon) {
  for (unsigned exponent = 7; exponent <= 24; ++exponent) {
    const std::uint64_t steps = std::uint64_t{1} << exponent;
    const BltParameters blt = design_blt(steps);
    EXPECT_LE(blt.buffers(), kMaxBuffers);
    EXPECT_LE(prefix_stddev(blt, steps, steps), 1.01 * sqrt_toeplitz_stddev(steps)) << "2^" << exponent;
  }
}

TEST(BltDesign, WorksForEveryTinyHorizonAndForOddOnes) {
  for (std::uint64_t steps : {1ULL, 2ULL, 3ULL, 4ULL, 5ULL, 6ULL, 7ULL, 9ULL, 33ULL, 1000ULL, 1ULL << 40}) {
    const BltParameters blt = design_blt(steps);
    EXPECT_LE(prefix_stddev(blt, steps, steps), 1.02 * sqrt_toeplitz_stddev(steps)) << steps;
  }
}

TEST(BltDesign, HasTheReferenceParametersForAnUnboundedHorizon) {
  const BltParameters blt = design_blt(std::nullopt);
  ASSERT_EQ(blt.buffers(), 8U);
  const double gaps[] = {1.75377362e-9, 3.89448515e-8, 5.48360384e-7, 7.63842709e-6,
                         1.06365019e-4, 1.48016521e-3, 2.04161370e-2, 2.50042730e-1};
  const double omegas[] = {6.09920189e-5, 1.66591206e-4, 6.19061777e-4, 2.31161794e-3,
                           8.62588588e-3, 3.21340639e-2, 1.17079963e-1, 3.13687947e-1};
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_NEAR(blt.theta_gap()[j] / gaps[j], 1.0, 1e-6);
    EXPECT_NEAR(blt.omega()[j] / omegas[j], 1.0, 1e-6);
  }
  EXPECT_NEAR(blt.column_norm(std::nullopt), 2.773392, 1e-6);
}

TEST(BltDesign, UnboundedIsWithinFortyFivePercentOfTheOptimumAtEveryStepFromTenThousandOn) {
  const BltParameters blt = design_blt(std::nullopt);
  const auto ratio = [&](std::uint64_t step) {
    return prefix_stddev(blt, std::nullopt, step) / sqrt_toeplitz_stddev(step);
  };
  EXPECT_NEAR(ratio(10000), 1.39, 5e-3);
  EXPECT_NEAR(ratio(100000), 1.28, 5e-3);
  EXPECT_NEAR(ratio(1000000), 1.19, 5e-3);
  for (double step = 1e4; step <= 1.1e9; step *= 1.05) EXPECT_LE(ratio(static_cast<std::uint64_t>(step)), 1.45) << step;
}

TEST(BltParameters, ClosedFormsEqualTheSumsTheyStandFor) {
  for (std::optional<std::uint64_t> horizon : {std::optional<std::uint64_t>(300), std::optional<std::uint64_t>()}) {
    const BltParameters blt = design_blt(horizon, 4);
    double column = 0.0;
    double variance = 0.0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      column += std::pow(blt.strategy_entry(i), 2);
      variance += std::pow(blt.decoder_entry(i), 2);
      ASSERT_NEAR(blt.column_norm(i + 1) / std::sqrt(column), 1.0, 1e-11);
      ASSERT_NEAR(blt.prefix_variance(i + 1) / variance, 1.0, 1e-9);
    }
  }
}

TEST(BltParameters, DecoderTimesStrategyIsThePrefixSumMatrix) {
  const BltParameters blt = design_blt(std::nullopt);
  for (std::uint64_t row = 0; row < 400; ++row) {
    double sum = 0.0;
    for (std::uint64_t i = 0; i <= row; ++i) sum += blt.decoder_entry(i) * blt.strategy_entry(row - i);
    ASSERT_NEAR(sum, 1.0, 1e-11) << row;
  }
}

TEST(BltParameters, NormsGrowWithTheHorizonAndNeverPassTheUnboundedOne) {
  const BltParameters blt = design_blt(std::nullopt);
  double previous = 0.0;
  for (std::uint64_t steps = 1; steps <= (std::uint64_t{1} << 40); steps *= 2) {
    const double norm = blt.column_norm(steps);
    EXPECT_GE(norm, previous);
    EXPECT_LE(norm, blt.column_norm(std::nullopt));
    previous = norm;
  }
}

TEST(BltParameters, RefusesDecaysThatDoNotInterlace) {
  EXPECT_THROW(BltParameters({0.1, 0.05}, {0.2, 0.3}), std::invalid_argument);
  EXPECT_THROW(BltParameters({0.1}, {0.1}), std::invalid_argument);
  EXPECT_THROW(BltParameters({}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace rivulet::strategy
