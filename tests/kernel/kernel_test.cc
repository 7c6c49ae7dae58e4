#include "kernel/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "rivulet/error.h"
#include "support/released.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

using testing::same;

privacy::MechanismPlan plan_for(std::size_t dimension, StrategyKind kind, Horizon horizon,
                                std::uint64_t rows_per_step = 1) {
  privacy::MechanismRequest request;
  request.dimension = dimension;
  request.strategy.kind = kind;
  request.strategy.horizon = horizon;
  request.rows_per_step = rows_per_step;
  return privacy::MechanismPlan(request);
}

std::unique_ptr<NoiseSource> seeded(std::uint64_t seed) {
  return std::make_unique<DiscreteGaussianNoise>(RandomBits::insecure(seed));
}

std::vector<std::vector<double>> random_rows(std::size_t count, std::size_t width) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-0.6, 0.6);
  std::vector<std::vector<double>> rows(count, std::vector<double>(width + 1));
  for (auto& row : rows) {
    for (double& value : row) value = uniform(random);
  }
  return rows;
}

TEST(Kernel, SameSeedAndRowsGiveIdenticalBitsHoweverTheRowsAreSplitOverThreads) {
  constexpr std::size_t kWidth = 6;
  constexpr std::size_t kRows = 1200;
  const auto rows = random_rows(kRows, kWidth);
  const Schema schema = Schema::unit_ball(kWidth);
  for (StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const auto plan = plan_for(kWidth, kind, Horizon::known(16), 300);
    Kernel sequential(plan, schema, seeded(5));
    Kernel threaded(plan, schema, seeded(5));
    for (std::size_t step = 0; step < kRows / 300; ++step) {
      for (std::size_t i = 0; i < 300; ++i) {
        const auto& row = rows[step * 300 + i];
        sequential.observe({row.data(), kWidth}, row[kWidth]);
      }
      std::vector<RowBatch> batches;
      for (int part = 0; part < 3; ++part) batches.push_back(threaded.make_batch());
      std::vector<std::thread> threads;
      for (std::size_t part = 0; part < 3; ++part) {
        threads.emplace_back([&, part] {
          for (std::size_t i = part; i < 300; i += 3) {
            const auto& row = rows[step * 300 + i];
            batches[part].observe({row.data(), kWidth}, row[kWidth]);
          }
        });
      }
      for (auto& thread : threads) thread.join();
      for (std::size_t part : {2U, 0U, 1U}) threaded.absorb(std::move(batches[part]));
      NoisyStep a;
      NoisyStep b;
      sequential.close_step(a);
      threaded.close_step(b);
      ASSERT_TRUE(same(a, b));
    }
  }
}

TEST(Kernel, UnusableRowsCountAsRowsAndChangeNothingElse) {
  const Schema schema = Schema::unit_ball(2);
  const auto plan = plan_for(2, StrategyKind::blt, Horizon::unbounded(), 3);
  Kernel with_bad(plan, schema, std::make_unique<testing::ZeroNoise>());
  Kernel with_zero(plan, schema, std::make_unique<testing::ZeroNoise>());
  const double good[] = {0.25, -0.5};
  const double zero[] = {0.0, 0.0};
  const double missing[] = {0.25, std::nan("")};
  with_bad.observe(good, 0.5);
  with_bad.observe(missing, 0.5);
  with_bad.observe(good, std::nan(""));
  with_zero.observe(good, 0.5);
  with_zero.observe(zero, 0.0);
  with_zero.observe(zero, 0.0);
  EXPECT_EQ(with_bad.unusable_rows_for_operator(), 2U);
  NoisyStep a;
  NoisyStep b;
  with_bad.close_step(a);
  with_zero.close_step(b);
  EXPECT_TRUE(same(a, b));
  EXPECT_EQ(a.rows, 3U);
  EXPECT_EQ(with_bad.unusable_rows_for_operator(), 2U);
}

TEST(Kernel, PastTheHorizonNothingIsPublishedAndNothingIsDrawn) {
  const auto plan = plan_for(1, StrategyKind::tree, Horizon::known(3));
  Kernel kernel(plan, Schema::unit_ball(1), seeded(1));
  const double row[] = {0.5};
  NoisyStep out;
  for (int step = 0; step < 3; ++step) {
    kernel.observe(row, 0.5);
    kernel.close_step(out);
  }
  EXPECT_FALSE(kernel.may_close_another_step());
  const NoisyStep last = out;
  kernel.observe(row, 0.5);
  EXPECT_THROW(kernel.close_step(out), HorizonExceeded);
  EXPECT_TRUE(same(out, last));
}

TEST(Kernel, ABatchThatDoesNotFitOrBelongsElsewhereIsRefused) {
  const auto plan = plan_for(1, StrategyKind::blt, Horizon::unbounded(), 2);
  Kernel kernel(plan, Schema::unit_ball(1), seeded(1));
  Kernel other(plan_for(1, StrategyKind::blt, Horizon::unbounded(), 3), Schema::unit_ball(1), seeded(1));
  RowBatch batch = kernel.make_batch();
  const double row[] = {0.5};
  for (int i = 0; i < 3; ++i) batch.observe(row, 0.5);
  EXPECT_THROW(kernel.absorb(std::move(batch)), RequestError);
  RowBatch foreign = other.make_batch();
  foreign.observe(row, 0.5);
  EXPECT_THROW(kernel.absorb(std::move(foreign)), RequestError);
  const double wide[] = {0.5, 0.5};
  EXPECT_THROW(kernel.observe(wide, 0.5), RequestError);
}

TEST(Kernel, AnUnboundedStreamEndsAtThePlansLastStep) {
  // The largest steps leave room for the fewest: 2^23 of them at one covariate.
  const auto plan = plan_for(1, StrategyKind::blt, Horizon::unbounded(), std::uint64_t{1} << 30);
  ASSERT_LE(plan.last_step(), std::uint64_t{1} << 24);
  Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>());
  NoisyStep out;
  for (std::uint64_t step = 1; step <= plan.last_step(); ++step) kernel.close_step(out);
  EXPECT_EQ(out.step, plan.last_step());
  EXPECT_THROW(kernel.close_step(out), HorizonExceeded);
}

TEST(Kernel, ARowEntersAStreamOnce) {
  const auto plan = plan_for(1, StrategyKind::blt, Horizon::unbounded(), 10);
  Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>());
  const double row[] = {1.0};
  RowBatch one = kernel.make_batch();
  one.observe(row, 0.0);
  EXPECT_THROW(one.merge(std::move(one)), RequestError);
  RowBatch two = kernel.make_batch();
  two.merge(std::move(one));
  EXPECT_EQ(one.rows(), 0U);
  two.merge(std::move(one));
  EXPECT_EQ(two.rows(), 1U);
  kernel.absorb(std::move(two));
  kernel.absorb(std::move(two));
  EXPECT_EQ(kernel.rows_in_step(), 1U);
}

TEST(Kernel, AFullStepTakesNoMoreRows) {
  const auto plan = plan_for(1, StrategyKind::blt, Horizon::unbounded(), 2);
  Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>());
  const double row[] = {0.5};
  kernel.observe(row, 0.0);
  kernel.observe(row, 0.0);
  EXPECT_THROW(kernel.observe(row, 0.0), Error);
  RowBatch batch = kernel.make_batch();
  batch.observe(row, 0.0);
  EXPECT_THROW(kernel.absorb(std::move(batch)), RequestError);
}

TEST(Kernel, WhenNoiseFailsNothingLeavesAndTheStreamEnds) {
  class Failing final : public NoiseSource {
   public:
    void add(std::span<Int128> values, double /*sigma*/) override {
      if (++calls_ > 5) throw Error("no randomness");
      for (Int128& value : values) value += 1'000'000;
    }

   private:
    int calls_ = 0;
  };
  for (StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    Kernel kernel(plan_for(1, kind, Horizon::known(8)), Schema::unit_ball(1), std::make_unique<Failing>());
    const double row[] = {0.5};
    NoisyStep out;
    NoisyStep last;
    bool failed = false;
    for (int step = 0; step < 8 && !failed; ++step) {
      kernel.observe(row, 0.5);
      last = out;
      try {
        kernel.close_step(out);
      } catch (const Error&) {
        failed = true;
      }
    }
    ASSERT_TRUE(failed);
    EXPECT_TRUE(same(out, last));
    EXPECT_THROW(kernel.close_step(out), Error);
    EXPECT_TRUE(same(out, last));
  }
}

// The whole path from raw rows to what is published, without noise: one replaced or removed row, anywhere, moves the
// published sequence by no more than the plan's sensitivity, in the norm the noise is isotropic in.
TEST(Kernel, OneRowMovesThePublishedSequenceByNoMoreThanTheAccountedSensitivity) {
  constexpr std::size_t kSteps = 40;
  const Schema schema = Schema::unit_ball(2);
  // Extreme raw rows: full norm, opposite labels, orthogonal in the joint space, far outside the bounds, unusable.
  const std::vector<std::vector<double>> extremes = {{1, 0, 1},      {0, 1, -1},           {0.5, 0.866025, -1},
                                                     {-1, 0, 1},     {1e9, -1e9, 1e9},     {0, 0, 0},
                                                     {0.7, 0.7, -1}, {-0.5, 0.8660254, 1}, {std::nan(""), 0, 0}};
  for (Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    for (StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
      privacy::MechanismRequest request;
      request.dimension = 2;
      request.neighbours = neighbours;
      request.strategy.kind = kind;
      request.strategy.horizon = Horizon::known(kSteps);
      const privacy::MechanismPlan plan(request);
      double largest_mu = 0.0;
      for (std::size_t changed : {0U, 1U, 17U, 39U}) {
        for (std::size_t i = 0; i < extremes.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            if (neighbours == Neighbours::zero_out && extremes[j] != extremes[5]) continue;
            Kernel one(plan, schema, std::make_unique<testing::ZeroNoise>());
            Kernel two(plan, schema, std::make_unique<testing::ZeroNoise>());
            const auto others = random_rows(kSteps, 2);
            double squared_mu = 0.0;
            NoisyStep a;
            NoisyStep b;
            for (std::size_t step = 0; step < kSteps; ++step) {
              const auto& row_one = step == changed ? extremes[i] : others[step];
              const auto& row_two = step == changed ? extremes[j] : others[step];
              one.observe({row_one.data(), 2}, row_one[2]);
              two.observe({row_two.data(), 2}, row_two[2]);
              one.close_step(a);
              two.close_step(b);
              double widening = 1.0;
              if (kind == StrategyKind::hybrid) {
                const std::uint64_t s = step + 1;  // levels of the epoch, from the definition
                std::uint64_t leaves = 1;
                while (2 * leaves < s) leaves *= 2;
                double levels = 1.0;
                for (std::uint64_t l = s == 1 ? 1 : leaves; l > 1; l /= 2) levels += 1.0;
                widening = std::sqrt(levels);
              }
              for (std::size_t v = 0; v < a.vectors.size(); ++v) {
                const double sigmas[] = {
                    plan.sigmas().gram_diagonal, plan.sigmas().gram_diagonal, plan.sigmas().gram_offdiagonal,
                    plan.sigmas().cross,         plan.sigmas().cross,         plan.sigmas().target_square};
                for (std::size_t c = 0; c < 6; ++c) {
                  const double moved = static_cast<double>(a.vectors[v].values[c] - b.vectors[v].values[c]);
                  squared_mu += std::pow(moved / (sigmas[c] * widening), 2);
                }
              }
            }
            largest_mu = std::max(largest_mu, std::sqrt(squared_mu));
          }
        }
      }
      EXPECT_LE(largest_mu, plan.mu() * (1.0 + 1e-9));
      EXPECT_GE(largest_mu, plan.mu() * 0.98);  // the accounting is tight, not merely safe
    }
  }
}

}  // namespace
}  // namespace rivulet::kernel
