#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "kernel/encoder.h"
#include "rivulet/error.h"
#include "strategy/every_decoder.h"
#include "strategy/strategy.h"
#include "support/statistics.h"
#include "support/zero_noise.h"

namespace rivulet::strategy {
namespace {

class EveryDecoder : public ::testing::TestWithParam<Setting> {};

TEST_P(EveryDecoder, ReturnsTheExactPrefixSumsWithoutNoiseAtEveryStepUpTo4096) {
  const auto plan = plan_for(GetParam(), 4096);
  const auto encoder = kernel::make_encoder(plan);
  const auto decoder = plan.strategy().make_decoder(plan.layout().size());
  testing::ZeroNoise none;
  std::mt19937_64 random(1);
  std::vector<Int128> expected(plan.layout().size(), 0);
  for (std::uint64_t step = 1; step <= 4096; ++step) {
    std::vector<Int128> sums(plan.layout().size());
    for (auto& sum : sums) sum = static_cast<std::int64_t>(random() >> (2 + random() % 60)) - (1 << 20);
    NoisyStep noisy{step, step, {}};
    encoder->encode(step, sums, none, noisy);
    decoder->absorb(noisy);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      expected[i] += static_cast<Int128>(sums[i]) * (Int128{1} << plan.noise_bits());
      ASSERT_TRUE(decoder->whole()[i] == expected[i]) << step;
      ASSERT_EQ(decoder->prefix(i), static_cast<double>(expected[i])) << step;
    }
  }
}

TEST_P(EveryDecoder, ReturnsTheExactPrefixSumsWithoutNoiseAtRandomStepsUpTo2To24) {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 24;
  const auto plan = plan_for(GetParam(), kSteps);
  const auto encoder = kernel::make_encoder(plan);
  const auto decoder = plan.strategy().make_decoder(plan.layout().size());
  testing::ZeroNoise none;
  std::mt19937_64 random(2);
  std::set<std::uint64_t> checked{kSteps - 1, kSteps};
  for (int i = 0; i < 200; ++i) checked.insert(1 + random() % kSteps);
  std::vector<Int128> expected(plan.layout().size(), 0);
  std::vector<Int128> sums(plan.layout().size());
  NoisyStep noisy;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    // A cheap deterministic stream with full-size rows.
    std::uint64_t hash = step * 0x9E3779B97F4A7C15ULL;
    for (auto& sum : sums) {
      hash ^= hash >> 29;
      hash *= 0xBF58476D1CE4E5B9ULL;
      sum = static_cast<std::int64_t>(hash >> 33) - (std::int64_t{1} << 30);
    }
    noisy.step = step;
    noisy.rows = step;
    encoder->encode(step, sums, none, noisy);
    decoder->absorb(noisy);
    for (std::size_t i = 0; i < sums.size(); ++i)
      expected[i] += static_cast<Int128>(sums[i]) * (Int128{1} << plan.noise_bits());
    if (checked.contains(step)) {
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_TRUE(decoder->whole()[i] == expected[i]) << step;
    }
  }
}

TEST_P(EveryDecoder, SimulatedVarianceMatchesTheStatedOne) {
  // Wide vectors of pure noise: 860 coordinates give 860 independent copies of the decoder's error at once.
  privacy::MechanismRequest request;
  request.dimension = 40;
  request.strategy.kind = GetParam().kind;
  request.strategy.tree_decoding = GetParam().decoding;
  constexpr std::uint64_t kSteps = 300;
  request.strategy.horizon = GetParam().known_horizon ? Horizon::known(kSteps) : Horizon::unbounded();
  const privacy::MechanismPlan plan(request);
  const std::size_t coordinates = plan.layout().size();
  const std::vector<Int128> nothing(coordinates, 0);
  const std::set<std::uint64_t> checked{1, 2, 3, 4, 7, 8, 31, 32, 100, 127, 128, 255, 256, 300};
  std::map<std::uint64_t, double> squares;
  double copies = 0.0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto encoder = kernel::make_encoder(plan);
    const auto decoder = plan.strategy().make_decoder(coordinates);
    kernel::DiscreteGaussianNoise noise(kernel::RandomBits::insecure(seed));
    NoisyStep noisy;
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      noisy.step = noisy.rows = step;
      encoder->encode(step, nothing, noise, noisy);
      decoder->absorb(noisy);
      if (!checked.contains(step)) continue;
      EXPECT_NEAR(decoder->norm() / plan.strategy().decoder_norm(step), 1.0, 1e-9);
      for (std::size_t i = 0; i < coordinates; ++i) {
        const double sigma = i < plan.layout().offdiagonal_begin() || i == plan.layout().target_square()
                                 ? plan.sigmas().gram_diagonal
                                 : plan.sigmas().gram_offdiagonal;
        squares[step] += std::pow(decoder->prefix(i) / (sigma * decoder->norm()), 2);
      }
    }
    copies += static_cast<double>(coordinates);
  }
  for (const auto& [step, sum] : squares) {
    // About 10,000 copies: a 1e-6 test with power against a 10% error in the stated standard deviation.
    EXPECT_LT(std::abs(sum / copies - 1.0) * std::sqrt(copies / 2.0), testing::kTwoSidedMillionth) << step;
  }
}

TEST_P(EveryDecoder, RefusesStepsOutOfOrderAndKeepsItsState) {
  const auto plan = plan_for(GetParam(), 16);
  const auto encoder = kernel::make_encoder(plan);
  const auto decoder = plan.strategy().make_decoder(plan.layout().size());
  testing::ZeroNoise none;
  const std::vector<Int128> sums(plan.layout().size(), 3);
  NoisyStep noisy{1, 1, {}};
  encoder->encode(1, sums, none, noisy);
  NoisyStep late = noisy;
  late.step = 2;
  EXPECT_THROW(decoder->absorb(late), Error);
  decoder->absorb(noisy);
  EXPECT_THROW(decoder->absorb(noisy), Error);
  EXPECT_EQ(decoder->step(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryDecoder, every_decoder());

}  // namespace
}  // namespace rivulet::strategy
