#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sketch/maps.h"
#include "support/statistics.h"

namespace rivulet::sketch {
namespace {

// Every size up to 40 with every weight: rows distinct, one a block, values exact.
TEST(SparseSign, AColumnHasOneEntryInEachOfNearlyEqualBlocks) {
  for (std::size_t rows = 1; rows <= 40; ++rows) {
    for (unsigned weight = 1; weight <= rows; ++weight) {
      const auto map = make_embedding(sparse_sign(rows, 60, weight));
      const double value = 1.0 / std::sqrt(static_cast<double>(weight));
      for (std::size_t column = 0; column < map->columns(); ++column) {
        const std::vector<double> entries = column_of(*map, column);
        for (std::size_t block = 0; block < weight; ++block) {
          const std::size_t first = rows * block / weight;
          const std::size_t end = rows * (block + 1) / weight;
          int found = 0;
          for (std::size_t row = first; row < end; ++row) {
            if (entries[row] == 0.0) continue;
            ++found;
            ASSERT_EQ(std::fabs(entries[row]), value);
          }
          ASSERT_EQ(found, 1) << rows << " rows, weight " << weight << ", column " << column << ", block " << block;
        }
        ASSERT_NEAR(dot(entries, entries), 1.0, 1e-14);
      }
    }
  }
}

// How often each of the 2 * rows signed places is taken, over all columns.
std::vector<std::uint64_t> place_counts(const LinearMap& map) {
  std::vector<std::uint64_t> counts(2 * map.rows(), 0);
  for (std::size_t column = 0; column < map.columns(); ++column) {
    const std::vector<double> entries = column_of(map, column);
    for (std::size_t row = 0; row < map.rows(); ++row) {
      if (entries[row] != 0.0) ++counts[2 * row + (entries[row] < 0.0 ? 1 : 0)];
    }
  }
  return counts;
}

// Blocks of 6 and 7 rows, 100 signed places, each block a chi-square of its own: together 100 - 8 degrees of freedom.
// False alarm: 1e-6. A sign that were positive with probability 0.51 would add 320 to an expected 92 (limit 170).
TEST(SparseSign, EverySignedPlaceOfABlockIsEquallyLikely) {
  const std::size_t rows = 50;
  const unsigned weight = 8;
  const auto map = make_embedding(sparse_sign(rows, 100'000, weight));
  const std::vector<std::uint64_t> counts = place_counts(*map);
  const auto statistic = [&](double positive) {
    double sum = 0.0;
    for (std::size_t block = 0; block < weight; ++block) {
      const std::size_t first = rows * block / weight;
      const std::size_t end = rows * (block + 1) / weight;
      const double of_a_row = 1.0 / static_cast<double>(end - first);
      std::vector<double> probabilities;
      for (std::size_t row = first; row < end; ++row) {
        probabilities.push_back(of_a_row * positive);
        probabilities.push_back(of_a_row * (1.0 - positive));
      }
      sum += testing::chi_square(std::span(counts).subspan(2 * first, 2 * (end - first)), probabilities);
    }
    return sum;
  };
  const double limit = testing::chi_square_limit(2.0 * rows - weight);
  EXPECT_LT(statistic(0.5), limit);
  EXPECT_GT(statistic(0.51), limit);
}

// All 64 patterns that a column of two entries in two blocks of four rows can have; then all 64 pairs of neighbouring
// columns of one entry in four rows. False alarm: 1e-6 each.
TEST(SparseSign, EntriesOfAColumnAndOfNeighbouringColumnsAreIndependent) {
  const auto place = [](const std::vector<double>& entries, std::size_t first) {
    for (std::size_t row = 0; row < 4; ++row) {
      if (entries[first + row] != 0.0) return 2 * row + (entries[first + row] < 0.0 ? 1 : 0);
    }
    return std::size_t{8};
  };
  const std::vector<double> equal(64, 1.0 / 64.0);
  std::vector<std::uint64_t> within(64, 0);
  const auto two = make_embedding(sparse_sign(8, 64'000, 2));
  for (std::size_t column = 0; column < two->columns(); ++column) {
    const std::vector<double> entries = column_of(*two, column);
    ++within[8 * place(entries, 0) + place(entries, 4)];
  }
  EXPECT_LT(testing::chi_square(within, equal), testing::chi_square_limit(63));

  std::vector<std::uint64_t> between(64, 0);
  const auto one = make_embedding(sparse_sign(4, 128'000, 1));
  for (std::size_t column = 0; column < one->columns(); column += 2) {
    ++between[8 * place(column_of(*one, column), 0) + place(column_of(*one, column + 1), 0)];
  }
  EXPECT_LT(testing::chi_square(between, equal), testing::chi_square_limit(63));
}

}  // namespace
}  // namespace rivulet::sketch
