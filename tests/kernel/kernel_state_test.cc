// A kernel that was taken down and set up again from its saved state is the kernel it was.
#include <gtest/gtest.h>

#include "kernel/state_settings.h"
#include "rivulet/error.h"
#include "support/released.h"

namespace rivulet::kernel {
namespace {

using testing::KeptState;
using testing::KernelSetting;
using testing::same;
using testing::Stream;

std::vector<KernelSetting> all_settings() {
  std::vector<KernelSetting> settings;
  for (const std::uint64_t rows_per_unit : {0U, 3U}) {
    for (const std::uint64_t rows_per_step : {1U, 7U}) {
      for (const std::size_t dimension : {1U, 3U}) {
        if (rows_per_unit != 0 && dimension != 1) continue;
        settings.push_back({StrategyKind::blt, true, dimension, rows_per_step, rows_per_unit});
        settings.push_back({StrategyKind::blt, false, dimension, rows_per_step, rows_per_unit});
        settings.push_back({StrategyKind::tree, true, dimension, rows_per_step, rows_per_unit});
        settings.push_back({StrategyKind::hybrid, false, dimension, rows_per_step, rows_per_unit});
      }
    }
  }
  return settings;
}

class KernelState : public ::testing::TestWithParam<KernelSetting> {
 protected:
  privacy::MechanismPlan plan_{testing::request_for(GetParam())};
  // 18 steps of one row; or 9 steps of seven and an unfinished one.
  std::size_t rows_ = GetParam().rows_per_step == 1 ? 18 : 66;
};

TEST_P(KernelState, ARestoredKernelPublishesWhatAnUninterruptedOneWouldWhereverTheRowsWereCut) {
  for (const Stream::Noise noise : {Stream::Noise::zero, Stream::Noise::seeded}) {
    // Both start from one saved state: it holds the key that unit identifiers are hashed with.
    KeptState origin;
    Stream(plan_, noise).save(origin);
    Stream uninterrupted(plan_, noise);
    uninterrupted.take_up(origin);
    for (std::size_t row = 0; row < rows_; ++row) uninterrupted.observe_and_close(row);
    KeptState last = origin;
    uninterrupted.save(last);

    // Cut before and after the step is closed that the row fills.
    for (std::size_t cut = 0; cut <= 2 * rows_; ++cut) {
      Stream stream(plan_, noise);
      stream.take_up(origin);
      KeptState kept = origin;
      for (std::size_t row = 0; row < rows_; ++row) {
        stream.observe(row);
        if (cut == 2 * row + 1) {
          stream.save(kept);
          stream.take_up(kept);
        }
        stream.close_if_full();
        if (cut == 2 * row + 2) {
          stream.save(kept);
          stream.take_up(kept);
        }
      }
      ASSERT_TRUE(same(stream.published(), uninterrupted.published())) << cut;
      EXPECT_EQ(stream.kernel().unusable_rows_for_operator(), uninterrupted.kernel().unusable_rows_for_operator());
      EXPECT_EQ(stream.kernel().over_limit_rows_for_operator(), uninterrupted.kernel().over_limit_rows_for_operator());
      EXPECT_EQ(stream.kernel().rows_in_step(), uninterrupted.kernel().rows_in_step());
      EXPECT_EQ(stream.kernel().released_rows(), uninterrupted.kernel().released_rows());
      stream.save(kept);
      ASSERT_TRUE(kept == last) << cut;
    }
  }
}

TEST_P(KernelState, AStreamThatIsTakenUpAnewAfterEveryRowPublishesTheSame) {
  KeptState origin;
  Stream(plan_, Stream::Noise::seeded).save(origin);
  Stream one(plan_, Stream::Noise::seeded);
  Stream many(plan_, Stream::Noise::seeded);
  one.take_up(origin);
  many.take_up(origin);
  KeptState kept = origin;
  for (std::size_t row = 0; row < rows_; ++row) {
    one.observe_and_close(row);
    many.observe_and_close(row);
    many.save(kept);
    many.take_up(kept);
  }
  EXPECT_TRUE(same(one.published(), many.published()));
  KeptState last = origin;
  one.save(last);
  EXPECT_TRUE(kept == last);
}

TEST_P(KernelState, SavingChangesNothing) {
  KeptState origin;
  Stream(plan_, Stream::Noise::seeded).save(origin);
  Stream unsaved(plan_, Stream::Noise::seeded);
  Stream saved(plan_, Stream::Noise::seeded);
  unsaved.take_up(origin);
  saved.take_up(origin);
  KeptState kept = origin;
  for (std::size_t row = 0; row < rows_; ++row) {
    unsaved.observe_and_close(row);
    saved.observe_and_close(row);
    saved.save(kept);
    const KeptState once = kept;
    saved.save(kept);
    ASSERT_TRUE(kept == once) << row;
  }
  EXPECT_TRUE(same(unsaved.published(), saved.published()));
  KeptState last = origin;
  unsaved.save(last);
  EXPECT_TRUE(kept == last);
}

TEST_P(KernelState, HoldsNoNoise) {
  // The same rows under no noise and under much: the states are equal byte for byte.
  KeptState origin;
  Stream(plan_, Stream::Noise::zero).save(origin);
  KeptState quiet = origin;
  KeptState loud = origin;
  Stream without(plan_, Stream::Noise::zero);
  Stream with(plan_, Stream::Noise::seeded);
  without.take_up(origin);
  with.take_up(origin);
  for (std::size_t row = 0; row < rows_; ++row) {
    without.observe_and_close(row);
    with.observe_and_close(row);
    without.save(quiet);
    with.save(loud);
    ASSERT_TRUE(quiet == loud) << row;
  }
  EXPECT_FALSE(same(without.published(), with.published()));
}

INSTANTIATE_TEST_SUITE_P(Strategies, KernelState, ::testing::ValuesIn(all_settings()));

TEST(KernelState, SavingBetweenTheBlocksOfASumIsExact) {
  // Rows are multiplied in blocks of 64 (few coordinates) or 256 (many) and then folded; fewer than 8 take another
  // path.
  for (const std::size_t dimension : {1U, 30U}) {
    const privacy::MechanismPlan plan(testing::request_for({StrategyKind::blt, true, dimension, 600, 0}));
    Stream whole(plan, Stream::Noise::zero);
    for (std::size_t row = 0; row < 600; ++row) whole.observe_and_close(row);
    ASSERT_EQ(whole.published().size(), 1U);
    for (const std::size_t every : {1U, 7U, 8U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 256U, 257U, 599U}) {
      Stream saved(plan, Stream::Noise::zero);
      Stream restored(plan, Stream::Noise::zero);
      KeptState kept;
      for (std::size_t row = 0; row < 600; ++row) {
        saved.observe_and_close(row);
        restored.observe_and_close(row);
        if (row % every != every - 1) continue;
        saved.save(kept);
        restored.save(kept);
        restored.take_up(kept);
      }
      EXPECT_TRUE(same(saved.published(), whole.published())) << every;
      EXPECT_TRUE(same(restored.published(), whole.published())) << every;
    }
  }
}

TEST(KernelState, StepsWithoutARowAreNoDamage) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const privacy::MechanismPlan plan(testing::request_for({kind, true, 1, 5, 0}));
    Stream stream(plan, Stream::Noise::zero);
    NoisyStep out;
    for (int step = 0; step < 3; ++step) stream.kernel().close_step(out);
    KeptState kept;
    stream.save(kept);
    stream.take_up(kept);
    EXPECT_EQ(stream.kernel().steps(), 3U);
    EXPECT_EQ(stream.kernel().released_rows(), 0U);
  }
}

TEST(KernelState, AtTheEndOfTheHorizonARestoredKernelRefusesToPublishOn) {
  const privacy::MechanismPlan plan(testing::request_for({StrategyKind::tree, true, 1, 1, 0}));
  Stream stream(plan, Stream::Noise::zero);
  for (std::size_t row = 0; row < 64; ++row) stream.observe_and_close(row);
  KeptState kept;
  stream.save(kept);
  stream.take_up(kept);
  EXPECT_FALSE(stream.kernel().may_close_another_step());
  NoisyStep out;
  EXPECT_THROW(stream.kernel().close_step(out), HorizonExceeded);
}

}  // namespace
}  // namespace rivulet::kernel
