// A decoder that was taken down and set up again from its saved state is the decoder it was.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernel/encoder.h"
#include "rivulet/error.h"
#include "strategy/every_decoder.h"
#include "strategy/strategy.h"

namespace rivulet::strategy {
namespace {

// Across a power of two that ends an epoch, a root and a run of low nodes.
constexpr std::uint64_t kSteps = 37;

class DecoderState : public ::testing::TestWithParam<Setting> {
 protected:
  DecoderState() {
    const auto encoder = kernel::make_encoder(plan_);
    const auto noise = kernel::DiscreteGaussianNoise::insecure(5);
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      std::vector<Int128> sums(plan_.layout().size());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<std::int64_t>(step * 1'000'003 * (i + 1));
      noise->begin_step(step);
      NoisyStep& noisy = steps_.emplace_back();
      noisy.step = noisy.rows = step;
      encoder->encode(step, sums, *noise, noisy);
    }
  }

  [[nodiscard]] std::unique_ptr<Decoder> fresh() const { return plan_.strategy().make_decoder(plan_.layout().size()); }
  [[nodiscard]] std::unique_ptr<Decoder> after(std::uint64_t steps) const {
    auto decoder = fresh();
    for (std::uint64_t step = 0; step < steps; ++step) decoder->absorb(steps_[step]);
    return decoder;
  }

  static std::string saved(const Decoder& decoder) {
    ByteWriter writer;
    decoder.save(writer);
    return writer.take();
  }
  static void restore(Decoder& decoder, const std::string& bytes) {
    ByteReader reader(bytes, "the decoder");
    decoder.restore(reader);
    reader.finish();
  }

  privacy::MechanismPlan plan_ = plan_for(GetParam(), 64, 2);
  std::vector<NoisyStep> steps_;
};

void expect_same(const Decoder& a, const Decoder& b) {
  ASSERT_EQ(a.step(), b.step());
  ASSERT_EQ(a.coordinates(), b.coordinates());
  EXPECT_EQ(a.norm(), b.norm());
  for (std::size_t i = 0; i < a.coordinates(); ++i) {
    ASSERT_EQ(a.prefix(i), b.prefix(i)) << a.step();
    ASSERT_TRUE(a.whole()[i] == b.whole()[i]) << a.step();
  }
}

TEST_P(DecoderState, ARestoredDecoderGoesOnBitForBitFromEveryStep) {
  for (std::uint64_t cut = 0; cut <= kSteps; ++cut) {
    const auto uninterrupted = after(cut);
    const auto restored = fresh();
    restore(*restored, saved(*uninterrupted));
    expect_same(*uninterrupted, *restored);
    for (std::uint64_t step = cut; step < kSteps; ++step) {
      uninterrupted->absorb(steps_[step]);
      restored->absorb(steps_[step]);
      expect_same(*uninterrupted, *restored);
    }
    EXPECT_EQ(saved(*uninterrupted), saved(*restored)) << cut;
  }
}

TEST_P(DecoderState, ADecoderTakenUpAnewAfterEveryStepIsNoOther) {
  auto many = fresh();
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    many->absorb(steps_[step]);
    const std::string bytes = saved(*many);
    many = fresh();
    restore(*many, bytes);
  }
  expect_same(*after(kSteps), *many);
}

TEST_P(DecoderState, StaysExactWhereTheVarianceIsTakenAfresh) {
  // The blt decoder's closed form comes in at every 4096th step.
  if (!GetParam().known_horizon && GetParam().kind == StrategyKind::blt) {
    auto one = fresh();
    auto many = fresh();
    NoisyStep noisy = steps_[0];
    for (std::uint64_t step = 1; step <= 4200; ++step) {
      noisy.step = step;
      one->absorb(noisy);
      many->absorb(noisy);
      if (step < 4090) continue;
      const std::string bytes = saved(*many);
      many = fresh();
      restore(*many, bytes);
      expect_same(*one, *many);
    }
  }
}

TEST_P(DecoderState, AUsedDecoderTakesUpNoState) {
  const std::string bytes = saved(*after(3));
  const auto used = after(1);
  EXPECT_THROW(restore(*used, bytes), Error);
  expect_same(*used, *after(1));
}

TEST_P(DecoderState, BytesThatAreCutExtendedOrChangedAreRefusedOrMakeADecoder) {
  const std::string whole = saved(*after(7));
  const auto taken = [&](const std::string& bytes) {
    const auto decoder = fresh();
    ByteReader reader(bytes, "the decoder");
    try {
      decoder->restore(reader);
    } catch (const DamagedFile&) {
      // Nothing half-restored goes on.
      NoisyStep next = steps_[0];
      for (next.step = 0; next.step < 9; ++next.step) EXPECT_THROW(decoder->absorb(next), Error);
      return false;
    }
    try {
      reader.finish();
    } catch (const DamagedFile&) {
      return false;
    }
    if (decoder->step() == 7) {
      for (std::uint64_t step = 7; step < kSteps; ++step) decoder->absorb(steps_[step]);
      for (std::size_t i = 0; i < decoder->coordinates(); ++i) EXPECT_TRUE(std::isfinite(decoder->prefix(i)));
    }
    return true;
  };
  ASSERT_TRUE(taken(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(taken(whole.substr(0, length)));
  EXPECT_FALSE(taken(whole + '\0'));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const unsigned change : {0x01U, 0x10U, 0x40U, 0x80U, 0xffU}) {
      std::string changed = whole;
      changed[place] = static_cast<char>(static_cast<unsigned char>(changed[place]) ^ change);
      taken(changed);
    }
  }
}

TEST_P(DecoderState, HoldsNothingButWhatFollowsFromTheReleases) {
  // Two decoders of the same releases, one of which was asked for its estimates all the time: the same bytes.
  const auto asked = fresh();
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    asked->absorb(steps_[step]);
    EXPECT_GT(asked->norm(), 0.0);
    saved(*asked);
  }
  EXPECT_EQ(saved(*asked), saved(*after(kSteps)));
}

INSTANTIATE_TEST_SUITE_P(Strategies, DecoderState, every_decoder());

}  // namespace
}  // namespace rivulet::strategy
