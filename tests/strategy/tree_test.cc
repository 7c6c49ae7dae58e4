#include "strategy/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet::strategy {
namespace {

TEST(TreeShape, NodeVariancesAreTheKnownFractions) {
  EXPECT_DOUBLE_EQ(tree_prefix_variance(1, TreeDecoding::optimal), 1.0);
  EXPECT_DOUBLE_EQ(tree_prefix_variance(4, TreeDecoding::optimal), 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(tree_prefix_variance(7, TreeDecoding::optimal), 4.0 / 7.0 + 2.0 / 3.0 + 1.0);
  EXPECT_DOUBLE_EQ(tree_prefix_variance(8, TreeDecoding::optimal), 8.0 / 15.0);
}

TEST(TreeShape, ErrorsAreTheKnownOnes) {
  const struct {
    std::uint64_t steps;
    double paper;
    double optimal;
  } table[] = {{1024, 10.49, 7.99}, {10000, 13.49, 10.11}, {100000, 16.49, 12.23}, {1000000, 19.49, 14.36}};
  for (const auto& row : table) {
    const double norm = std::sqrt(static_cast<double>(tree_levels(row.steps)));
    EXPECT_NEAR(norm * std::sqrt(tree_max_prefix_variance(row.steps, TreeDecoding::paper)), row.paper, 6e-3);
    EXPECT_NEAR(norm * std::sqrt(tree_max_prefix_variance(row.steps, TreeDecoding::optimal)), row.optimal, 6e-3);
  }
}

TEST(TreeShape, TheLargestPrefixVarianceIsTheMaximumOverAllSteps) {
  for (TreeDecoding decoding : {TreeDecoding::paper, TreeDecoding::optimal}) {
    double tree = 0.0;
    double hybrid = 0.0;
    for (std::uint64_t steps = 1; steps <= 2100; ++steps) {
      tree = std::max(tree, tree_prefix_variance(steps, decoding));
      hybrid = std::max(hybrid, hybrid_prefix_variance(steps, decoding));
      ASSERT_DOUBLE_EQ(tree_max_prefix_variance(steps, decoding), tree) << steps;
      ASSERT_DOUBLE_EQ(hybrid_max_prefix_variance(steps, decoding), hybrid) << steps;
    }
  }
}

TEST(HybridPosition, EpochsTileTheStepsWithoutGapOrOverlap) {
  std::uint64_t expected_inside = 1;
  unsigned expected_epoch = 0;
  for (std::uint64_t step = 1; step <= 5000; ++step) {
    const HybridPosition position = hybrid_position(step);
    ASSERT_EQ(position.epoch, expected_epoch) << step;
    ASSERT_EQ(position.step_in_epoch, expected_inside) << step;
    const std::uint64_t leaves = position.epoch == 0 ? 1 : std::uint64_t{1} << (position.epoch - 1);
    ASSERT_EQ(position.levels, tree_levels(leaves)) << step;
    ASSERT_EQ(position.closes_epoch, expected_inside == leaves) << step;
    if (position.closes_epoch) {
      ++expected_epoch;
      expected_inside = 0;
    }
    ++expected_inside;
  }
}

}  // namespace
}  // namespace rivulet::strategy
