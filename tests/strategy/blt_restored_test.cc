// A BLT that was written down and read back is the same BLT, and so is the state of its filter.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "strategy/blt.h"

namespace rivulet::strategy {
namespace {

std::vector<BltParameters> designs() {
  std::vector<BltParameters> all{design_blt(std::nullopt)};
  for (const std::uint64_t steps : {1ULL, 4ULL, 64ULL, 1000ULL, 1000000ULL, 1ULL << 40})
    all.push_back(design_blt(steps));
  for (unsigned buffers = 1; buffers <= kMaxBuffers; ++buffers) all.push_back(design_blt(100000, buffers));
  for (unsigned buffers = 1; buffers <= kMaxBuffers; ++buffers) all.push_back(design_blt(std::nullopt, buffers));
  return all;
}

TEST(RestoredBlt, EqualsTheOriginalInEveryFigure) {
  for (const BltParameters& blt : designs()) {
    const BltParameters again = BltParameters::exactly(blt.design());
    EXPECT_EQ(again.buffers(), blt.buffers());
    EXPECT_EQ(again.theta_gap(), blt.theta_gap());
    EXPECT_EQ(again.inverse_gap(), blt.inverse_gap());
    EXPECT_EQ(again.omega(), blt.omega());
    for (std::size_t j = 0; j < blt.buffers(); ++j) {
      EXPECT_EQ(again.theta_gap_fraction()[j].numerator(), blt.theta_gap_fraction()[j].numerator());
      EXPECT_EQ(again.omega_fraction()[j].numerator(), blt.omega_fraction()[j].numerator());
    }
    EXPECT_EQ(again.column_norm(std::nullopt), blt.column_norm(std::nullopt));
    EXPECT_EQ(again.rounding_gain(), blt.rounding_gain());
    for (const std::uint64_t step : {1ULL, 2ULL, 3ULL, 100ULL, 1ULL << 20, 1ULL << 40}) {
      EXPECT_EQ(again.column_norm(step), blt.column_norm(step));
      EXPECT_EQ(again.prefix_variance(step), blt.prefix_variance(step));
      EXPECT_EQ(again.strategy_entry(step), blt.strategy_entry(step));
      EXPECT_EQ(again.decoder_entry(step), blt.decoder_entry(step));
    }
  }
}

TEST(RestoredBlt, IsRefusedWhenItIsNoBlt) {
  const Design whole = design_blt(1000, 4).design();
  const auto refused = [&](auto change) {
    Design altered = whole;
    change(altered);
    try {
      (void)BltParameters::exactly(altered);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](Design&) {}));
  EXPECT_TRUE(refused([](Design& n) { n = {}; }));
  EXPECT_TRUE(refused([](Design& n) { n.omega_numerators.pop_back(); }));
  EXPECT_TRUE(refused([](Design& n) { n.inverse_gaps.pop_back(); }));
  EXPECT_TRUE(refused([](Design& n) { n.theta_gap_numerators.push_back(1); }));
  EXPECT_TRUE(refused([](Design& n) {  // more buffers than the filter has
    n.theta_gap_numerators.assign(9, 1);
    n.omega_numerators.assign(9, 1);
    n.inverse_gaps.assign(9, 0.5);
  }));
  for (std::size_t j = 0; j < 4; ++j) {
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      EXPECT_TRUE(refused([&](Design& n) { n.theta_gap_numerators[j] = bad; }));
      EXPECT_TRUE(refused([&](Design& n) { n.omega_numerators[j] = bad; }));
    }
    EXPECT_TRUE(refused([&](Design& n) { n.theta_gap_numerators[j] += n.theta_gap_numerators[j] / 1000; }));
    EXPECT_TRUE(refused([&](Design& n) { n.omega_numerators[j] += n.omega_numerators[j] / 1000; }));
    for (const double bad : {0.0, -1.0, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), whole.inverse_gaps[j] * (1.0 + 1e-8)}) {
      EXPECT_TRUE(refused([&](Design& n) { n.inverse_gaps[j] = bad; })) << bad;
    }
  }
  EXPECT_TRUE(refused([](Design& n) { std::swap(n.theta_gap_numerators[0], n.theta_gap_numerators[1]); }));
  // Two weights of just below one half leave no room for the filter's fractions.
  EXPECT_TRUE(refused(
      [](Design& n) { n.omega_numerators[0] = n.omega_numerators[1] = std::numeric_limits<std::int64_t>::max(); }));
}

TEST(RestoredBlt, ServesOnlyAStrategyOfItsKindAndNumberOfBuffers) {
  const BltParameters blt = design_blt(1000, 3);
  Strategy::Options options;
  options.horizon = Horizon::known(1000);
  EXPECT_EQ(make_strategy(options, blt.design())->norm(), blt.column_norm(1000));
  options.buffers = 3;
  EXPECT_NO_THROW(make_strategy(options, blt.design()));
  options.buffers = 4;
  EXPECT_THROW(make_strategy(options, blt.design()), RequestError);
  options.buffers.reset();
  options.kind = StrategyKind::tree;
  EXPECT_THROW(make_strategy(options, blt.design()), RequestError);
  options.kind = StrategyKind::blt;
  options.horizon = Horizon::unbounded();
  EXPECT_EQ(make_strategy(options, blt.design())->norm(),
            blt.column_norm(std::nullopt));  // of the infinite matrix, not of its design
  options.horizon = Horizon::known(kStepCap + 1);
  EXPECT_THROW(make_strategy(options, blt.design()), RequestError);
}

std::string saved(const BltFilter& filter) {
  ByteWriter writer;
  filter.save(writer);
  return writer.take();
}

void restore(BltFilter& filter, const std::string& bytes) {
  ByteReader reader(bytes, "the filter");
  filter.restore(reader);
  reader.finish();
}

TEST(RestoredFilter, GoesOnBitForBitInBothDirections) {
  constexpr std::size_t kCoordinates = 3;
  for (const BltParameters& blt : {design_blt(64), design_blt(std::nullopt)}) {
    BltFilter encoder(blt, kCoordinates);
    BltFilter decoder(blt, kCoordinates);
    std::string encoder_state = saved(encoder);
    std::string decoder_state = saved(decoder);
    for (std::int64_t step = 1; step <= 40; ++step) {
      BltFilter encoder_again(blt, kCoordinates);
      BltFilter decoder_again(blt, kCoordinates);
      restore(encoder_again, encoder_state);
      restore(decoder_again, decoder_state);
      const std::vector<Int128> sent{step, -step * 1'000'000'007, Int128{step} << 60};
      std::vector<Int128> one = sent;
      std::vector<Int128> two = sent;
      encoder.encode(one);
      encoder_again.encode(two);
      ASSERT_TRUE(one == two) << step;
      decoder.decode(one);
      decoder_again.decode(two);
      ASSERT_TRUE(one == sent && two == sent) << step;
      encoder_state = saved(encoder_again);
      decoder_state = saved(decoder_again);
      ASSERT_EQ(encoder_state, saved(encoder));
      // Both run the same machine on the same values.
      ASSERT_EQ(encoder_state, decoder_state);
    }
  }
}

TEST(RestoredFilter, RefusesAnotherShapeAndNumbersThatCouldOverflow) {
  const BltParameters blt = design_blt(1000, 3);
  BltFilter filter(blt, 2);
  const std::string whole = saved(filter);
  BltFilter wider(blt, 3);
  EXPECT_THROW(restore(wider, whole), DamagedFile);
  BltFilter deeper(design_blt(1000, 4), 2);
  EXPECT_THROW(restore(deeper, whole), DamagedFile);
  // The highest byte of each number, after a count of eight bytes: above 2^124 in magnitude.
  for (const std::size_t place : {8 + 15, 8 + 16 * 5 + 15, 8 + 16 * 6 + 8 + 15}) {
    for (const char high : {'\x10', '\x7f', '\x80', '\xef'}) {
      std::string huge = whole;
      huge[place] = high;
      BltFilter fresh(blt, 2);
      EXPECT_THROW(restore(fresh, huge), DamagedFile) << place;
    }
    std::string large = whole;
    large[place] = '\x0f';
    BltFilter fresh(blt, 2);
    EXPECT_NO_THROW(restore(fresh, large));
  }
}

}  // namespace
}  // namespace rivulet::strategy
