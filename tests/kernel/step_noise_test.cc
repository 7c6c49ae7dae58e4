// Seeded noise belongs to its step, so that an interrupted stream publishes what an uninterrupted one would; secure
// noise belongs to nothing and never comes again.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "kernel/kernel.h"
#include "support/sensitive_bytes.h"
#include "support/statistics.h"

namespace rivulet::kernel {
namespace {

constexpr double kSigma = 0x1p50;

std::vector<Int128> draws(NoiseSource& noise, std::size_t count, double sigma = kSigma) {
  std::vector<Int128> values(count, 0);
  noise.add(values, sigma);
  return values;
}

TEST(StepNoise, OfAStepDependsOnTheSeedAndTheStepAlone) {
  const auto in_order = DiscreteGaussianNoise::insecure(9);
  for (std::uint64_t step = 1; step <= 60; ++step) {
    in_order->begin_step(step);
    // A past of its own: nothing drawn at all, another width first, many steps left out.
    const auto jumped = DiscreteGaussianNoise::insecure(9);
    if (step % 2 == 0) draws(*jumped, 1000, 0x1p30);
    if (step % 3 == 0) {
      jumped->begin_step(step + 100);
      draws(*jumped, 5);
    }
    jumped->begin_step(step);
    // As many as the step before drew, and another number, in parts.
    EXPECT_TRUE(draws(*in_order, step) == draws(*jumped, step)) << step;
    EXPECT_TRUE(draws(*in_order, 20000, 0x1p40) == draws(*jumped, 20000, 0x1p40)) << step;
  }
}

TEST(StepNoise, DiffersFromStepToStepAndFromSeedToSeed) {
  // 6000 draws of 50 bits: two are equal with probability below 2e-8, and the seeds are fixed.
  std::set<Int128> seen;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto noise = DiscreteGaussianNoise::insecure(seed);
    for (std::uint64_t step = 1; step <= 2000; ++step) {
      noise->begin_step(step);
      EXPECT_TRUE(seen.insert(draws(*noise, 1)[0]).second) << seed << " " << step;
    }
  }
}

TEST(StepNoise, IsUncorrelatedFromStepToStepAndOfFullWidth) {
  // Fixed seeds; were they random, each check would be a false alarm with probability 1e-6.
  constexpr std::size_t kSteps = 20000;
  const auto noise = DiscreteGaussianNoise::insecure(77);
  std::vector<double> first;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    noise->begin_step(step);
    first.push_back(static_cast<double>(draws(*noise, 1)[0]) / kSigma);
  }
  for (const std::size_t lag : {1U, 2U, 64U}) {
    double along = 0.0;
    for (std::size_t t = lag; t < kSteps; ++t) along += first[t] * first[t - lag];
    EXPECT_LT(std::abs(along) / std::sqrt(static_cast<double>(kSteps - lag)), testing::kTwoSidedMillionth) << lag;
  }
  double squares = 0.0;
  for (const double value : first) squares += value * value;
  EXPECT_LT(std::abs(squares / kSteps - 1.0) * std::sqrt(kSteps / 2.0), testing::kTwoSidedMillionth);
}

TEST(StepNoise, FromASecureSourceNeverComesAgainWhateverStepIsBegun) {
  // 4 draws of 50 bits each, 6000 times: a repetition by chance has probability below 2^-170.
  std::set<std::vector<Int128>> seen;
  for (int source = 0; source < 3; ++source) {
    DiscreteGaussianNoise noise(RandomBits::secure());
    for (int round = 0; round < 2000; ++round) {
      noise.begin_step(static_cast<std::uint64_t>(round % 4));
      EXPECT_TRUE(seen.insert(draws(noise, 4)).second);
    }
  }
}

// Writes down what the kernel asks for.
class Recorder final : public NoiseSource {
 public:
  explicit Recorder(std::string& log) : log_(log) {}
  void begin_step(std::uint64_t step) override { log_ += "[" + std::to_string(step) + "]"; }
  void add(std::span<Int128> /*values*/, double /*sigma*/) override { log_ += "+"; }

 private:
  std::string& log_;
};

TEST(StepNoise, IsAskedForAfterTheStepIsBegunAndGoesOnWithTheNextAfterARestore) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    privacy::MechanismRequest request;
    request.strategy.kind = kind;
    request.strategy.horizon = Horizon::known(8);
    const privacy::MechanismPlan plan(request);
    std::string whole;
    std::string parts;
    Kernel uninterrupted(plan, Schema::unit_ball(1), std::make_unique<Recorder>(whole));
    auto interrupted = std::make_unique<Kernel>(plan, Schema::unit_ball(1), std::make_unique<Recorder>(parts));
    NoisyStep out;
    for (int step = 1; step <= 8; ++step) {
      uninterrupted.close_step(out);
      interrupted->close_step(out);
      testing::KeptState kept;
      SensitiveState state;
      interrupted->save(state);
      kept.keep(state);
      interrupted = std::make_unique<Kernel>(plan, Schema::unit_ball(1), std::make_unique<Recorder>(parts));
      interrupted->restore(kept.given_back());
    }
    EXPECT_EQ(whole, parts);
    for (int step = 1; step <= 8; ++step) {
      // Once each, in order, and noise in between: four blocks a vector.
      const std::string mark = "[" + std::to_string(step) + "]";
      const std::size_t at = whole.find(mark);
      ASSERT_NE(at, std::string::npos);
      EXPECT_EQ(whole.find(mark, at + 1), std::string::npos);
      EXPECT_EQ(whole.substr(at + mark.size(), 4), "++++");
    }
    EXPECT_EQ(whole.substr(0, 3), "[1]");
  }
}

}  // namespace
}  // namespace rivulet::kernel
