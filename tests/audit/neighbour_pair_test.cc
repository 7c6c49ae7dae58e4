#include "audit/neighbour_pair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/calibration.h"

namespace rivulet::audit {
namespace {

constexpr PairKind kAll[] = {PairKind::worst,  PairKind::opposite_labels, PairKind::orthogonal_rows,
                             PairKind::sparse, PairKind::outside,         PairKind::missing};

// In the norm the noise is isotropic in: an entry off the diagonal counts twice.
double moved(const NeighbourPair& pair, std::size_t dimension, double target_scale) {
  const privacy::ReleaseLayout layout{dimension, true};
  const std::vector<double> first = contribution(pair.first, layout, target_scale);
  const std::vector<double> second = contribution(pair.second, layout, target_scale);
  double squares = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool diagonal = i < layout.offdiagonal_begin() || i == layout.target_square();
    squares += (diagonal ? 1.0 : 2.0) * std::pow(second[i] - first[i], 2);
  }
  return std::sqrt(squares);
}

TEST(NeighbourPair, TheWorstPairReachesTheSensitivityAndNoneExceedsIt) {
  const double s = privacy::target_scale_for(1.0);
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    const double limit = (1.0 + s * s) * (neighbours == Neighbours::replace ? std::sqrt(2.0) : 1.0);
    for (const std::size_t dimension : {1U, 2U, 5U, 20U}) {
      for (const PairKind kind : kAll) {
        if (!exists(kind, neighbours, dimension)) continue;
        const double distance = moved(make_pair(kind, neighbours, dimension, s), dimension, s);
        EXPECT_LE(distance, limit * (1.0 + 1e-12)) << to_string(kind) << " " << dimension;
        EXPECT_GE(distance, limit * 0.5) << to_string(kind) << " " << dimension;
        if (kind == PairKind::worst) {
          EXPECT_GE(distance, limit * (dimension == 1 ? 0.94 : 0.999999));
        }
      }
    }
  }
}

TEST(NeighbourPair, TheWorstPairMovesEveryCoordinate) {
  for (const std::size_t dimension : {2U, 5U, 20U}) {
    const privacy::ReleaseLayout layout{dimension, true};
    const NeighbourPair pair = make_pair(PairKind::worst, Neighbours::zero_out, dimension, 0.7);
    for (const double sum : contribution(pair.second, layout, 0.7)) EXPECT_NE(sum, 0.0);
  }
}

TEST(NeighbourPair, ZeroOutHasARowThatCountsAsZero) {
  for (const PairKind kind : kAll) {
    if (!exists(kind, Neighbours::zero_out, 3)) continue;
    const AuditRow first = bounded(make_pair(kind, Neighbours::zero_out, 3, 0.7).first);
    EXPECT_EQ(first.x, std::vector<double>(3, 0.0)) << to_string(kind);
    EXPECT_EQ(first.y, 0.0);
  }
}

TEST(Bounded, ClampsShortensAndZeroes) {
  EXPECT_EQ(bounded({{0.3, -0.4}, 0.5}).x, (std::vector<double>{0.3, -0.4}));
  EXPECT_EQ(bounded({{30.0, 0.0}, -7.0}).x, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(bounded({{30.0, 0.0}, -7.0}).y, -1.0);
  EXPECT_NEAR(bounded({{1.0, 1.0}, 0.0}).x[0], std::sqrt(0.5), 1e-15);
  EXPECT_EQ(bounded({{std::nan(""), 1.0}, 1.0}).x, (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(bounded({{0.5, 1.0}, INFINITY}).y, 0.0);
}

}  // namespace
}  // namespace rivulet::audit
