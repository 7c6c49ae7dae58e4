#include "kernel/moment_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rivulet::kernel {
namespace {

void add(MomentSum& sum, std::initializer_list<double> row) {
  std::copy(row.begin(), row.end(), sum.next_row().begin());
  sum.commit_row();
}
void add(MomentSum& sum, const std::vector<double>& row) {
  std::copy(row.begin(), row.end(), sum.next_row().begin());
  sum.commit_row();
}

std::vector<std::int64_t> contents(MomentSum sum, bool with_target_square = true) {
  const privacy::ReleaseLayout layout{sum.order() - 1, with_target_square};
  std::vector<Int128> out(layout.size());
  sum.write(layout, out);
  return {out.begin(), out.end()};
}

std::vector<std::vector<double>> random_rows(std::size_t count, std::size_t order, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> rows(count, std::vector<double>(order));
  for (auto& row : rows) {
    for (double& entry : row) entry = static_cast<double>(static_cast<int>(random() % 65537) - 32768);
  }
  return rows;
}

TEST(MomentSum, EqualsTheSumByHandInTheStatedLayout) {
  MomentSum sum(4);  // x0, x1, x2, y
  add(sum, {1, 2, 3, 5});
  add(sum, {-7, 0, 1, 2});
  // diagonal; (0,1), (0,2), (1,2); cross; y^2
  EXPECT_EQ(contents(sum), (std::vector<std::int64_t>{50, 4, 10, 2, -4, 6, -9, 10, 17, 29}));
  EXPECT_EQ(contents(sum, false), (std::vector<std::int64_t>{50, 4, 10, 2, -4, 6, -9, 10, 17}));
}

TEST(MomentSum, AnySplitAndAnyMergeOrderGivesTheSameBits) {
  for (std::size_t order : {2U, 12U, 40U}) {
    const auto rows = random_rows(1000, order, order);
    MomentSum whole(order);
    for (const auto& row : rows) add(whole, row);
    std::mt19937_64 random(9);
    for (int round = 0; round < 20; ++round) {
      const std::size_t parts = 1 + random() % 9;
      std::vector<MomentSum> pieces(parts, MomentSum(order));
      for (const auto& row : rows) add(pieces[random() % parts], row);
      std::shuffle(pieces.begin(), pieces.end(), random);
      MomentSum merged(order);
      for (const auto& piece : pieces) merged.merge(piece);
      ASSERT_EQ(merged.rows(), 1000U);
      ASSERT_EQ(contents(merged), contents(whole));
    }
  }
}

TEST(MomentSum, FewRowsAndManyRowsTakeDifferentPathsToTheSameSums) {
  const std::size_t order = 13;
  const auto rows = random_rows(300, order, 3);
  for (std::size_t count : {1U, 7U, 8U, 63U, 64U, 65U, 300U}) {
    MomentSum whole(order);
    MomentSum one_by_one(order);
    for (std::size_t i = 0; i < count; ++i) {
      add(whole, rows[i]);
      MomentSum single(order);
      add(single, rows[i]);
      contents(single);
      one_by_one.merge(single);
    }
    ASSERT_EQ(contents(whole), contents(one_by_one)) << count;
  }
}

TEST(MomentSum, StaysExactPastTheRangeWhereDoublesWouldRound) {
  // Products near 2^30, 2^24 of them: about 2^54. One row in 64 differs so that the sum of any block of 64 is odd.
  constexpr std::int64_t kBlocks = std::int64_t{1} << 18;
  MomentSum sum(2);
  for (std::int64_t i = 0; i < 64 * kBlocks; ++i) add(sum, {i % 64 == 0 ? 32766.0 : 32767.0, 32765.0});
  const std::int64_t squares = 63 * 32767 * std::int64_t{32767} + 32766 * std::int64_t{32766};
  const std::int64_t crosses = (63 * std::int64_t{32767} + 32766) * 32765;
  EXPECT_EQ(contents(sum),
            (std::vector<std::int64_t>{kBlocks * squares, kBlocks * crosses, 64 * kBlocks * 32765 * 32765}));
}

TEST(MomentSum, StaysExactPastTheRangeOf64Bits) {
  MomentSum sum(2);
  add(sum, {32767, -32768});
  add(sum, {32767, 32765});
  // Doubled 39 times: 2^40 rows.
  for (int i = 0; i < 39; ++i) sum.merge(MomentSum(sum));
  EXPECT_EQ(sum.rows(), std::uint64_t{1} << 40);
  add(sum, {3, 5});
  const auto wide = [](std::int64_t a, std::int64_t b) { return static_cast<Int128>(a) * b; };
  const Int128 times = Int128{1} << 39;
  const std::vector<Int128> expected{times * 2 * wide(32767, 32767) + 9, times * wide(32767, -3) + 15,
                                     times * (wide(32768, 32768) + wide(32765, 32765)) + 25};
  std::vector<Int128> out(3);
  sum.write({1, true}, out);
  EXPECT_TRUE(out == expected);

  ByteWriter writer;
  sum.save(writer);
  ByteReader reader(writer.bytes(), "the sums");
  MomentSum again(2);
  again.restore(reader);
  reader.finish();
  again.merge(sum);
  again.write({1, true}, out);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(out[i] == 2 * expected[i]) << i;
}

TEST(MomentSum, ASplitAcrossTheRangeOf64BitsGivesTheSameBytes) {
  // Pieces just below, at and above the number of rows whose sums fit 64 bits, merged in any order.
  const auto doubled = [](int times) {
    MomentSum sum(3);
    add(sum, {32767, -20000, 31000});
    for (int i = 0; i < times; ++i) sum.merge(MomentSum(sum));
    return sum;
  };
  std::vector<MomentSum> pieces{doubled(29), doubled(30), doubled(0), doubled(31), doubled(29), doubled(3)};
  std::mt19937_64 random(4);
  std::string expected;
  for (int round = 0; round < 30; ++round) {
    std::shuffle(pieces.begin(), pieces.end(), random);
    MomentSum merged(3);
    for (const MomentSum& piece : pieces) merged.merge(piece);
    ByteWriter writer;
    merged.save(writer);
    if (expected.empty()) expected = writer.bytes();
    ASSERT_EQ(writer.bytes(), expected);
  }
}

TEST(MomentSum, ClearForgetsEverything) {
  MomentSum sum(3);
  add(sum, {1, 2, 3});
  sum.clear();
  EXPECT_EQ(sum.rows(), 0U);
  for (std::int64_t entry : contents(sum)) EXPECT_EQ(entry, 0);
}

}  // namespace
}  // namespace rivulet::kernel
