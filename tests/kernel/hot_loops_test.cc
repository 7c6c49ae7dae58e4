#include "kernel/hot_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace rivulet::kernel {
namespace {

TEST(HotLoops, BothVariantsGiveTheSameBits) {
  const HotLoops* fast = hot_loops_v3();
  if (fast == nullptr) GTEST_SKIP() << "this processor or build has no x86-64-v3 variant";
  const HotLoops& plain = hot_loops_baseline();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.0, 2.0);
  for (std::size_t count : {1U, 2U, 3U, 4U, 5U, 8U, 11U, 31U, 100U, 257U}) {
    const std::vector<double> lo(count, -1.0), hi(count, 3.0), centre(count, 1.0), inverse(count, 0.5);
    const ValueScales scales{lo.data(), hi.data(), centre.data(), inverse.data()};
    for (int round = 0; round < 200; ++round) {
      std::vector<double> values(count);
      for (double& value : values) value = normal(random);
      if (round % 7 == 0) values[random() % count] = std::nan("");
      if (round % 11 == 0) values[random() % count] = -HUGE_VAL;
      std::vector<double> box_a(count), box_b(count);
      ASSERT_EQ(plain.to_box(values.data(), count, scales, box_a.data()),
                fast->to_box(values.data(), count, scales, box_b.data()));
      ASSERT_EQ(std::memcmp(box_a.data(), box_b.data(), count * sizeof(double)), 0);
      for (double& entry : box_a) entry = std::isfinite(entry) ? entry : 0.0;
      ASSERT_EQ(plain.sum_of_squares(box_a.data(), count), fast->sum_of_squares(box_a.data(), count));
      std::vector<double> lattice_a(count), lattice_b(count);
      ASSERT_EQ(plain.truncate(box_a.data(), count, 32767.9, lattice_a.data()),
                fast->truncate(box_a.data(), count, 32767.9, lattice_b.data()));
      ASSERT_EQ(lattice_a, lattice_b);
    }
  }
}

TEST(HotLoops, TruncationReportsWhatIsOutOfRangeAndNeverConvertsIt) {
  for (const HotLoops* loops : {&hot_loops_baseline(), hot_loops_v3()}) {
    if (loops == nullptr) continue;
    for (const double bad : {65537.0, -65537.0, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      for (std::size_t place = 0; place < 9; ++place) {
        std::vector<double> box(9, 1.0), lattice(9);
        box[place] = bad;
        EXPECT_EQ(loops->truncate(box.data(), 9, 1.0, lattice.data()), kOutside) << bad;
      }
    }
    const std::vector<double> fine{65536.0, -65536.0, 0.9, -0.9};
    std::vector<double> lattice(4);
    EXPECT_EQ(loops->truncate(fine.data(), 4, 1.0, lattice.data()), 2 * (std::int64_t{1} << 32));
    EXPECT_EQ(lattice, (std::vector<double>{65536.0, -65536.0, 0.0, 0.0}));
  }
}

TEST(HotLoops, RankUpdatesAreExactIntegerSumsInEveryVariant) {
  std::mt19937_64 random(2);
  for (std::size_t order : {1U, 2U, 5U, 12U, 33U, 101U}) {
    for (std::size_t rows : {1U, 7U, 64U, 256U}) {
      std::vector<double> block(order * rows);
      for (double& entry : block) entry = static_cast<double>(static_cast<int>(random() % 65535) - 32767);
      std::vector<std::int64_t> expected(order * order, 0);
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t j = 0; j < order; ++j) {
          for (std::size_t i = 0; i <= j; ++i) {
            expected[j * order + i] +=
                static_cast<std::int64_t>(block[row * order + i]) * static_cast<std::int64_t>(block[row * order + j]);
          }
        }
      }
      for (const HotLoops* loops : {&hot_loops_baseline(), hot_loops_v3()}) {
        if (loops == nullptr) continue;
        std::vector<double> out(order * order, 7.0);
        loops->rank_update(block.data(), order, rows, out.data());
        for (std::size_t j = 0; j < order; ++j) {
          for (std::size_t i = 0; i <= j; ++i)
            ASSERT_EQ(static_cast<std::int64_t>(out[j * order + i]), expected[j * order + i] + 7);
        }
      }
    }
  }
}

TEST(HotLoops, DerivativesAreCutToWholeNumbersWithinTheLimitWhateverTheyAre) {
  const std::vector<double> given{0.0,  0.99,  -0.99, 1.0,  -1.0,     7.5,       -7.5,         8.0,    -8.0,
                                  8.01, -1e30, 1e300, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 4e-320, 3.0};
  const std::vector<double> expected{0, 1, -1, 2, -2, 15, -15, 16, -16, 16, -16, 16, 0, 16, -16, 0, 0, 6};
  for (const HotLoops* loops : {&hot_loops_baseline(), hot_loops_v3()}) {
    if (loops == nullptr) continue;
    std::vector<double> out(given.size());
    loops->cut(given.data(), given.size(), 2.0, 16.0, out.data());
    EXPECT_EQ(out, expected);
  }
}

TEST(HotLoops, BlocksOfRowsGiveTheSameBitsInEveryVariant) {
  const HotLoops* fast = hot_loops_v3();
  if (fast == nullptr) GTEST_SKIP() << "this processor or build has no x86-64-v3 variant";
  const HotLoops& plain = hot_loops_baseline();
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const std::size_t width : {8U, 16U, 40U, 128U}) {
    for (const std::size_t count : {1U, 2U, 9U, 100U}) {
      std::vector<double> columns(width * count), theta(count), weights(width);
      for (double& entry : columns) entry = static_cast<double>(static_cast<int>(random() % 65535) - 32767);
      for (double& entry : theta) entry = normal(random);
      for (double& entry : weights) entry = std::trunc(1e6 * normal(random));
      std::vector<double> a(width), b(width);
      plain.predict(columns.data(), width, count, theta.data(), a.data());
      fast->predict(columns.data(), width, count, theta.data(), b.data());
      ASSERT_EQ(std::memcmp(a.data(), b.data(), width * sizeof(double)), 0);
      std::vector<std::int64_t> sums_a(count, 1), sums_b(count, 1);
      plain.weigh(columns.data(), width, count, weights.data(), sums_a.data());
      fast->weigh(columns.data(), width, count, weights.data(), sums_b.data());
      ASSERT_EQ(sums_a, sums_b);
    }
  }
}

}  // namespace
}  // namespace rivulet::kernel
