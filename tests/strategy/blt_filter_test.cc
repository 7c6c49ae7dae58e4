#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "strategy/blt.h"

namespace rivulet::strategy {
namespace {

std::vector<Int128> random_values(std::mt19937_64& random, std::size_t count, int bits) {
  std::vector<Int128> values(count);
  for (Int128& value : values) value = static_cast<Int128>(random() >> (64 - bits)) - (Int128{1} << (bits - 1));
  return values;
}

TEST(Fraction, MultiplicationIsTheFloorOfTheExactProduct) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    // Small enough that the exact product fits 128 bits.
    const auto value = static_cast<Int128>(static_cast<std::int64_t>(random()) >> (1 + round % 60));
    const auto numerator = static_cast<std::int64_t>(random() >> (1 + round % 63));
    const Int128 product = value * static_cast<Int128>(numerator);
    ASSERT_TRUE(Fraction(numerator).of(value) == (product >> 64));
  }
}

TEST(Fraction, MultiplicationIsRightForValuesOfMoreThan64Bits) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 20000; ++round) {
    const auto high = static_cast<std::int64_t>(random()) >> (2 + round % 50);
    const Int128 value = (static_cast<Int128>(high) << 64) + random();
    const auto numerator = static_cast<std::int64_t>(random() >> (1 + round % 63));
    const long double real = static_cast<long double>(value) * static_cast<long double>(numerator) * 0x1p-64L;
    const Int128 computed = Fraction(numerator).of(value);
    ASSERT_NEAR(static_cast<double>(static_cast<long double>(computed) - real), 0.0,
                1.0 + std::abs(static_cast<double>(real)) * 1e-18);
    // Two parts of one half: (a + (2^63 - a)) / 2^64 of the value, less at most one for the two floors.
    const auto complement = static_cast<std::int64_t>((std::uint64_t{1} << 63) - static_cast<std::uint64_t>(numerator));
    if (complement > 0) {
      const Int128 rest = (value >> 1) - computed - Fraction(complement).of(value);
      ASSERT_TRUE(rest == 0 || rest == 1);
    }
  }
}

TEST(BltFilter, DecodingUndoesEncodingBitForBitForAnyInput) {
  for (std::optional<std::uint64_t> horizon : {std::optional<std::uint64_t>(1000), std::optional<std::uint64_t>()}) {
    const BltParameters blt = design_blt(horizon);
    constexpr std::size_t kCoordinates = 17;
    BltFilter encoder(blt, kCoordinates);
    BltFilter decoder(blt, kCoordinates);
    std::mt19937_64 random(2);
    for (int step = 0; step < 5000; ++step) {
      const std::vector<Int128> sent = random_values(random, kCoordinates, 1 + step % 63);
      std::vector<Int128> values = sent;
      encoder.encode(values);
      decoder.decode(values);
      ASSERT_TRUE(values == sent) << step;
    }
  }
}

TEST(BltFilter, StaysWithinItsStatedRoundingOfTheRealValuedFilter) {
  const BltParameters blt = design_blt(2000, 4);
  BltFilter filter(blt, 1);
  std::mt19937_64 random(3);
  std::vector<double> sent;
  double lowest = 0.0;
  double highest = 0.0;
  for (std::uint64_t step = 0; step < 2000; ++step) {
    std::vector<Int128> value = random_values(random, 1, 20);
    sent.push_back(static_cast<double>(value[0]));
    filter.encode(value);
    long double exact = 0.0L;
    for (std::uint64_t i = 0; i <= step; ++i) exact += static_cast<long double>(blt.strategy_entry(i)) * sent[step - i];
    const double error = static_cast<double>(static_cast<long double>(value[0]) - exact);
    lowest = std::min(lowest, error);
    highest = std::max(highest, error);
  }
  EXPECT_LE(highest - lowest, BltFilter::rounding_width(blt) + 1e-6);
  EXPECT_GE(highest - lowest, 0.9);  // the width is attained, not a loose bound
}

TEST(BltFilter, NeighboursDifferByNoMoreThanTheNormAndTheRounding) {
  const BltParameters blt = design_blt(std::nullopt);
  constexpr std::uint64_t kSteps = 3000;
  std::mt19937_64 random(4);
  for (std::uint64_t changed : {0ULL, 5ULL, 1500ULL, 2999ULL}) {
    BltFilter one(blt, 1);
    BltFilter two(blt, 1);
    constexpr double kChange = 1 << 20;
    double squared = 0.0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      std::vector<Int128> a = random_values(random, 1, 22);
      std::vector<Int128> b = a;
      if (step == changed) b[0] += static_cast<Int128>(kChange);
      one.encode(a);
      two.encode(b);
      squared += std::pow(static_cast<double>(a[0] - b[0]), 2);
    }
    const double rounding = BltFilter::rounding_width(blt) * std::sqrt(static_cast<double>(kSteps));
    EXPECT_LE(std::sqrt(squared), blt.column_norm(std::nullopt) * kChange + rounding);
    if (changed == 0) {
      EXPECT_GE(std::sqrt(squared), blt.column_norm(kSteps) * kChange - rounding);
    }
  }
}

TEST(BltFilter, RoundingWidthIsBarelyMoreThanOneUnit) {
  EXPECT_LE(BltFilter::rounding_width(design_blt(std::nullopt)), 1.01);
}

}  // namespace
}  // namespace rivulet::strategy
