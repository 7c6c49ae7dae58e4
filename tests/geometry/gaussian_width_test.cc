// Gaussian widths against closed forms and against Monte Carlo.
#include "geometry/gaussian_width.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "rivulet/constraint.h"

namespace rivulet::geometry {
namespace {

TEST(GaussianWidth, SmallDimensionsMatchTheirClosedForms) {
  const double one = std::sqrt(2.0 / std::numbers::pi);
  EXPECT_NEAR(l2_ball_width(1), one, 1e-15);
  EXPECT_NEAR(l2_ball_width(2), std::sqrt(std::numbers::pi / 2.0), 1e-15);
  EXPECT_NEAR(l2_ball_width(3), 2.0 * one, 1e-14);
  EXPECT_NEAR(l1_ball_width(1), one, 1e-12);
  // E max(|g_1|, |g_2|) = 2 / sqrt(pi), from max(a, b) = (|a + b| + |a - b|) / 2 for non-negative sums.
  EXPECT_NEAR(l1_ball_width(2), 2.0 / std::sqrt(std::numbers::pi), 1e-12);
}

TEST(GaussianWidth, L2WidthsOfNeighbouringDimensionsMultiplyToTheDimension) {
  // E||g_d|| E||g_{d+1}|| = d, from Gamma(x + 1) = x Gamma(x); spans the change from the closed form to the series.
  for (const std::size_t d : {1, 7, 150, 199, 200, 201, 500, 100000, 1000000}) {
    const auto exact = static_cast<double>(d);
    EXPECT_NEAR(l2_ball_width(d) * l2_ball_width(d + 1) / exact, 1.0, 1e-12) << d;
  }
}

TEST(GaussianWidth, L1WidthAgreesWithASlowFineQuadrature) {
  for (const double d : {3.0, 10.0, 1000.0, 1e6}) {
    // E max = integral of 1 - P(|g| <= t)^d by a plain midpoint rule on a very fine grid.
    double integral = 0.0;
    constexpr double step = 2e-5;
    for (double t = step / 2.0; t < 12.0; t += step) {
      integral += step * -std::expm1(d * std::log1p(-std::erfc(t / std::numbers::sqrt2)));
    }
    EXPECT_NEAR(l1_ball_width(static_cast<std::size_t>(d)) / integral, 1.0, 1e-9) << d;
  }
}

TEST(GaussianWidth, BothWidthsAgreeWithMonteCarlo) {
  // sup over K of <v, g> is 1-Lipschitz in g times the diameter, so its mean over n draws leaves the width by more than
  // diameter * sqrt(2 log(2 / p) / n) with probability at most p (Gaussian concentration). p = 1e-7 for each of the 8
  // comparisons: the false-alarm probability is below 1e-6. A width wrong by 5% of the diameter is caught.
  constexpr int draws = 40000;
  const double allowed = std::sqrt(2.0 * std::log(2.0 / 1e-7) / draws);
  std::mt19937_64 generator(31);
  std::normal_distribution<double> normal;
  for (const std::size_t d : {1, 2, 5, 40}) {
    const auto l2 = make_l2_ball(d, 2.0);
    const auto l1 = make_l1_ball(d, 3.0);
    double l2_mean = 0.0;
    double l1_mean = 0.0;
    std::vector<double> g(d);
    std::vector<double> support(d);
    const auto largest_product = [&](const ConstraintSet& set) {
      set.minimise_linear(g, support);
      double product = 0.0;
      for (std::size_t i = 0; i < d; ++i) product -= g[i] * support[i];
      return product;
    };
    for (int draw = 0; draw < draws; ++draw) {
      for (double& entry : g) entry = normal(generator);
      l2_mean += largest_product(*l2) / draws;
      l1_mean += largest_product(*l1) / draws;
    }
    EXPECT_NEAR(l2_mean, l2->gaussian_width(), 2.0 * allowed) << d;
    EXPECT_NEAR(l1_mean, l1->gaussian_width(), 3.0 * allowed) << d;
  }
}

TEST(GaussianWidth, TheL1BallIsNarrowAndTheL2BallIsNot) {
  EXPECT_LT(make_l1_ball(1000000, 1.0)->gaussian_width(), std::sqrt(2.0 * std::log(2e6)));
  EXPECT_GT(make_l2_ball(1000000, 1.0)->gaussian_width(), 999.0);
}

}  // namespace
}  // namespace rivulet::geometry
