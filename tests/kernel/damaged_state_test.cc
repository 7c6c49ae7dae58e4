// Bytes that are not what this very mechanism saved are refused, or make a kernel whose every number has its place: no
// crash and, under the sanitizers' eyes, nothing undefined.
#include <gtest/gtest.h>

#include "kernel/state_settings.h"
#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

using testing::KeptState;
using testing::KernelSetting;
using testing::Stream;

// Whether the state was taken; one that is, serves to the horizon.
bool taken(const privacy::MechanismPlan& plan, const KeptState& kept) {
  Stream stream(plan, Stream::Noise::zero);
  try {
    stream.take_up(kept);
  } catch (const DamagedFile&) {
    NoisyStep out;
    KeptState unused;
    EXPECT_THROW(stream.kernel().close_step(out), Error);
    EXPECT_THROW(stream.save(unused), Error);
    return false;
  }
  for (std::size_t row = 0; row < plan.last_step() * plan.request().rows_per_step; ++row) {
    if (!stream.kernel().step_is_full()) stream.observe(row);
    stream.close_if_full();
  }
  EXPECT_FALSE(stream.kernel().may_close_another_step());
  for (const NoisyStep& step : stream.published()) {
    for (const NoisyVector& vector : step.vectors) EXPECT_EQ(vector.values.size(), plan.layout().size());
  }
  EXPECT_LE(stream.kernel().steps(), plan.last_step());
  EXPECT_LE(stream.kernel().unusable_rows_for_operator(),
            stream.kernel().released_rows() + stream.kernel().rows_in_step());
  EXPECT_LE(stream.kernel().over_limit_rows_for_operator(), stream.kernel().unusable_rows_for_operator());
  KeptState again;
  stream.save(again);
  return true;
}

KeptState state_after(const privacy::MechanismPlan& plan, std::size_t rows) {
  Stream stream(plan, Stream::Noise::zero);
  for (std::size_t row = 0; row < rows; ++row) stream.observe_and_close(row);
  KeptState kept;
  stream.save(kept);
  return kept;
}

class DamagedState : public ::testing::TestWithParam<KernelSetting> {
 protected:
  privacy::MechanismPlan plan_{testing::request_for(GetParam())};
  KeptState whole_ = state_after(plan_, 7 * GetParam().rows_per_step + GetParam().rows_per_step / 2);
};

TEST_P(DamagedState, CutAnywhereOrExtendedIsRefused) {
  ASSERT_TRUE(taken(plan_, whole_));
  for (std::size_t length = 0; length < whole_.kernel.size(); ++length) {
    KeptState cut = whole_;
    cut.kernel.resize(length);
    ASSERT_FALSE(taken(plan_, cut)) << length;
  }
  for (const std::size_t more : {1U, 8U, 16U, 100U}) {
    KeptState extended = whole_;
    extended.kernel.append(more, '\0');
    EXPECT_FALSE(taken(plan_, extended)) << more;
  }
}

TEST_P(DamagedState, WithAnyOneByteChangedIsRefusedOrStillAKernel) {
  for (std::size_t place = 0; place < whole_.kernel.size(); ++place) {
    for (const unsigned change : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xffU}) {
      KeptState changed = whole_;
      changed.kernel[place] = static_cast<char>(static_cast<unsigned char>(changed.kernel[place]) ^ change);
      taken(plan_, changed);
    }
  }
}

TEST_P(DamagedState, RandomBytesAfterAnyWholePartAreRefusedOrStillAKernel) {
  std::uint64_t word = 1;
  for (std::size_t place = 0; place < whole_.kernel.size(); place += 5) {
    KeptState changed = whole_;
    for (std::size_t i = place; i < changed.kernel.size(); ++i) {
      word = word * 6364136223846793005ULL + 1442695040888963407ULL;
      changed.kernel[i] = static_cast<char>(word >> 56);
    }
    taken(plan_, changed);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, DamagedState,
                         ::testing::Values(KernelSetting{StrategyKind::blt, true, 1, 1, 0},
                                           KernelSetting{StrategyKind::blt, true, 2, 3, 0},
                                           KernelSetting{StrategyKind::tree, true, 1, 3, 0},
                                           KernelSetting{StrategyKind::tree, true, 2, 1, 2},
                                           KernelSetting{StrategyKind::hybrid, true, 1, 3, 2},
                                           KernelSetting{StrategyKind::hybrid, true, 2, 1, 0}));

TEST(DamagedState, CountsOfUnitsThatAreNotTheOnesSavedAreRefused) {
  const privacy::MechanismPlan plan(testing::request_for({StrategyKind::blt, true, 1, 1, 3}));
  const KeptState whole = state_after(plan, 9);
  ASSERT_TRUE(taken(plan, whole));
  ASSERT_GE(whole.units.size(), 3U);
  // A count that is forgotten or too low would let a unit contribute once more.
  for (const auto& [tag, rows] : whole.units) {
    KeptState forgotten = whole;
    forgotten.units.erase(tag);
    EXPECT_FALSE(taken(plan, forgotten));
    for (const std::uint64_t other : {std::uint64_t{0}, rows - 1, rows + 1, std::uint64_t{4}, ~std::uint64_t{0}}) {
      KeptState altered = whole;
      altered.units[tag] = other;
      EXPECT_FALSE(taken(plan, altered)) << other;
    }
  }
  KeptState invented = whole;
  invented.units[{'x'}] = 1;
  EXPECT_FALSE(taken(plan, invented));
  KeptState nothing = whole;
  nothing.units.clear();
  EXPECT_FALSE(taken(plan, nothing));
  // One unit twice.
  SensitiveState twice = whole.given_back();
  twice.units.push_back(twice.units.front());
  Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>());
  EXPECT_THROW(kernel.restore(twice), DamagedFile);
}

TEST(DamagedState, TheStateOfAnyOtherMechanismIsRefused) {
  std::vector<privacy::MechanismRequest> requests;
  const privacy::MechanismRequest plain = testing::request_for({StrategyKind::blt, true, 2, 2, 0});
  const auto add = [&](auto change) {
    requests.push_back(plain);
    change(requests.back());
  };
  add([](auto&) {});
  add([](auto& request) { request.dimension = 3; });
  add([](auto& request) { request.dimension = 1; });
  add([](auto& request) { request.strategy.kind = StrategyKind::tree; });
  add([](auto& request) { request.strategy.kind = StrategyKind::hybrid; });
  add([](auto& request) { request.strategy.horizon = Horizon::known(63); });
  add([](auto& request) { request.strategy.horizon = Horizon::unbounded(); });
  add([](auto& request) { request.strategy.buffers = 4; });
  add([](auto& request) { request.strategy.buffers = 3; });
  add([](auto& request) { request.budget.epsilon = 2.0; });
  add([](auto& request) { request.budget.delta = 1e-7; });
  add([](auto& request) { request.neighbours = Neighbours::zero_out; });
  add([](auto& request) { request.rows_per_step = 3; });
  add([](auto& request) { request.diameter = 0.3; });
  add([](auto& request) { request.units = true; });
  add([](auto& request) {
    request.units = true;
    request.rows_per_unit = 2;
  });
  add([](auto& request) {
    request.strategy.kind = StrategyKind::tree;
    request.profile = Profile::paper;
  });
  std::vector<privacy::MechanismPlan> plans;
  for (const privacy::MechanismRequest& request : requests) plans.emplace_back(request);
  for (std::size_t from = 0; from < plans.size(); ++from) {
    for (const std::size_t rows : {0U, 1U, 2U, 5U}) {
      const KeptState kept = state_after(plans[from], rows);
      for (std::size_t to = 0; to < plans.size(); ++to) {
        Stream stream(plans[to], Stream::Noise::zero);
        if (from == to) {
          EXPECT_NO_THROW(stream.take_up(kept));
        } else {
          EXPECT_THROW(stream.take_up(kept), DamagedFile) << from << " " << to << " " << rows;
        }
      }
    }
  }
}

TEST(DamagedState, AUsedKernelTakesUpNoState) {
  const privacy::MechanismPlan plan(testing::request_for({StrategyKind::blt, true, 1, 2, 0}));
  const KeptState kept = state_after(plan, 3);
  for (const std::size_t rows : {1U, 2U, 3U}) {
    Stream stream(plan, Stream::Noise::zero);
    for (std::size_t row = 0; row < rows; ++row) stream.observe_and_close(row);
    EXPECT_THROW(stream.kernel().restore(kept.given_back()), Error) << rows;
    stream.observe_and_close(rows);  // it goes on as if nobody had asked
    EXPECT_EQ(stream.published().size(), (rows + 1) / 2);
  }
  Stream restored(plan, Stream::Noise::zero);
  restored.take_up(kept);
  EXPECT_THROW(restored.kernel().restore(kept.given_back()), Error);
}

TEST(DamagedState, AKernelThatMetADamagedStateDoesNothingMore) {
  const privacy::MechanismPlan plan(testing::request_for({StrategyKind::blt, true, 1, 2, 0}));
  const KeptState whole = state_after(plan, 3);
  for (const std::size_t length : {std::size_t{0}, std::size_t{3}, whole.kernel.size() - 1}) {
    KeptState cut = whole;
    cut.kernel.resize(length);
    Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>());
    EXPECT_THROW(kernel.restore(cut.given_back()), DamagedFile);
    EXPECT_THROW(kernel.restore(whole.given_back()), Error);
    NoisyStep out;
    EXPECT_THROW(kernel.close_step(out), Error);
    SensitiveState state;
    EXPECT_THROW(kernel.save(state), Error);
  }
}

TEST(DamagedState, ABrokenKernelIsNotSaved) {
  // Noise that fails on its sixth call, in the midst of the second step.
  class Failing final : public NoiseSource {
   public:
    void add(std::span<Int128> /*values*/, double /*sigma*/) override {
      if (++calls_ == 6) throw Error("no randomness");
    }

   private:
    int calls_ = 0;
  };
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const privacy::MechanismPlan plan(testing::request_for({kind, true, 1, 1, 0}));
    Kernel kernel(plan, Schema::unit_ball(1), std::make_unique<Failing>());
    const double row[] = {0.5};
    NoisyStep out;
    kernel.observe(row, 0.5);
    EXPECT_THROW(
        for (int step = 0; step < 3; ++step) {
          kernel.close_step(out);
          kernel.observe(row, 0.5);
        },
        Error);
    SensitiveState state;
    EXPECT_THROW(kernel.save(state), Error);
    EXPECT_TRUE(store::SensitiveHalf::content(state.kernel).empty());
  }
}

}  // namespace
}  // namespace rivulet::kernel
