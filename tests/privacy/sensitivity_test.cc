#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "privacy/calibration.h"

namespace rivulet::privacy {
namespace {

struct LatticeRow {
  int x[3];
  int y;
};

// Every lattice row that the integer check admits: ||x||^2 <= 4^bits in two or three dimensions, |y| <= target_limit.
std::vector<LatticeRow> all_rows(const LatticeLimits& limits, int dimensions) {
  const int radius = 1 << limits.bits;
  const int third = dimensions == 3 ? radius : 0;
  std::vector<LatticeRow> rows;
  for (int a = -radius; a <= radius; ++a) {
    for (int b = -radius; b <= radius; ++b) {
      for (int c = -third; c <= third; ++c) {
        if (a * a + b * b + c * c > limits.covariate_norm_squared()) continue;
        for (int y = -static_cast<int>(limits.target_limit); y <= limits.target_limit; ++y)
          rows.push_back({{a, b, c}, y});
      }
    }
  }
  return rows;
}

std::int64_t dot(const LatticeRow& a, const LatticeRow& b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2] + a.y * b.y;
}

TEST(JointSensitivity, IsNeverExceededOnSmallLatticesAndIsReachedWithinOnePercent) {
  double closest_replace = 0.0;
  double closest_zero_out = 0.0;
  const struct {
    LatticeLimits limits;
    int dimensions;
  } cases[] = {{{1, 1}, 2}, {{2, 3}, 2}, {{2, 4}, 3}, {{3, 6}, 2}, {{3, 8}, 2}, {{4, 16}, 2}};
  for (const auto& [limits, dimensions] : cases) {
    const std::vector<LatticeRow> rows = all_rows(limits, dimensions);
    const double replace = joint_sensitivity(limits, Neighbours::replace);
    const double zero_out = joint_sensitivity(limits, Neighbours::zero_out);
    std::int64_t largest_pair = 0;
    std::int64_t largest_single = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t uu = dot(rows[i], rows[i]);
      largest_single = std::max(largest_single, uu);
      for (std::size_t j = 0; j <= i; ++j) {
        const std::int64_t vv = dot(rows[j], rows[j]);
        const std::int64_t uv = dot(rows[i], rows[j]);
        // ||u u^T - v v^T||_F^2, expanded; the expansion itself is checked below.
        largest_pair = std::max(largest_pair, uu * uu + vv * vv - 2 * uv * uv);
      }
    }
    EXPECT_LE(std::sqrt(static_cast<double>(largest_pair)), replace) << limits.bits;
    EXPECT_LE(static_cast<double>(largest_single), zero_out) << limits.bits;
    closest_replace = std::max(closest_replace, std::sqrt(static_cast<double>(largest_pair)) / replace);
    closest_zero_out = std::max(closest_zero_out, static_cast<double>(largest_single) / zero_out);
  }
  EXPECT_GE(closest_replace, 0.99);
  EXPECT_GE(closest_zero_out, 0.99);
}

TEST(JointSensitivity, TheExpansionOfTheFrobeniusDistanceIsRight) {
  const LatticeRow u{{3, -2, 1}, 2};
  const LatticeRow v{{-1, 4, 0}, -3};
  const std::int64_t a[4] = {u.x[0], u.x[1], u.x[2], u.y};
  const std::int64_t b[4] = {v.x[0], v.x[1], v.x[2], v.y};
  std::int64_t direct = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) direct += (a[i] * a[j] - b[i] * b[j]) * (a[i] * a[j] - b[i] * b[j]);
  }
  EXPECT_EQ(direct, dot(u, u) * dot(u, u) + dot(v, v) * dot(v, v) - 2 * dot(u, v) * dot(u, v));
}

TEST(PaperPairSensitivity, IsNeverExceededOnASmallLatticeAndIsReached) {
  const LatticeLimits limits{4, 16};
  const std::vector<LatticeRow> rows = all_rows(limits, 2);
  double replace = 0.0;
  double zero_out = 0.0;
  const double unit = 16.0 * 16.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::abs(rows[i].y) != 16) continue;  // the distance grows with |y|
    const auto& u = rows[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const auto& v = rows[j];
      if (std::abs(v.y) != 16) continue;
      double squared = 0.0;
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) squared += std::pow(u.x[a] * u.x[b] - v.x[a] * v.x[b], 2);
        squared += std::pow(u.x[a] * u.y - v.x[a] * v.y, 2);
      }
      replace = std::max(replace, std::sqrt(squared) / unit);
    }
    const double norm = u.x[0] * u.x[0] + u.x[1] * u.x[1];
    zero_out = std::max(zero_out, std::sqrt(norm * norm + norm * u.y * u.y) / unit);
  }
  EXPECT_LE(replace, paper_pair_sensitivity(Neighbours::replace));
  EXPECT_GE(replace, 0.99 * paper_pair_sensitivity(Neighbours::replace));
  EXPECT_LE(zero_out, paper_pair_sensitivity(Neighbours::zero_out));
  EXPECT_GE(zero_out, 0.99 * paper_pair_sensitivity(Neighbours::zero_out));
}

TEST(TargetScale, MinimisesThePredictedGradientNoise) {
  for (double diameter : {0.01, 0.3, 1.0, 2.0, 3.0}) {
    const auto predicted = [&](double s) { return std::pow(1.0 + s * s, 2) * (diameter * diameter + 1.0 / (s * s)); };
    const double best = target_scale_for(diameter);
    for (double s = 0.25; s <= 1.0; s += 0.01)
      EXPECT_LE(predicted(best), predicted(s) * (1.0 + 1e-12)) << diameter << " " << s;
  }
  EXPECT_NEAR(target_scale_for(1.0), std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace rivulet::privacy
