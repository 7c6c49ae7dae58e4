// Gaussian widths of the sets with parameters, against closed forms, independent quadrature and Monte Carlo.
#include <gtest/gtest.h>

#include <numbers>

#include "geometry/gaussian_width.h"
#include "geometry/sets.h"

namespace rivulet::geometry {
namespace {

TEST(SetWidth, ExpectedNormsMatchTheirClosedFormsAndLimits) {
  for (const double q : {2.0 + 1e-9, 2.3, 4.0, 37.0, 1e15}) {
    EXPECT_NEAR(expected_norm(1, q), std::sqrt(2.0 / std::numbers::pi), 1e-10) << q;
    // In the plane, E||g||_q is E||g||_2 times the mean of ||(cos a, sin a)||_q over the angle, smooth up to 45
    // degrees.
    double mean = 0.0;
    constexpr int points = 200000;
    for (int k = 0; k < points; ++k) {
      const double angle = (k + 0.5) * std::numbers::pi / 4.0 / points;
      mean += std::cos(angle) * std::pow(1.0 + std::pow(std::tan(angle), q), 1.0 / q) / points;
    }
    EXPECT_NEAR(expected_norm(2, q) / (mean * std::sqrt(std::numbers::pi / 2.0)), 1.0, 1e-9) << q;
  }
  for (const std::size_t d : {3, 50, 1000, 1000000}) {
    // d^(1/q) moves by log(d) / 4 * 1e-9 between q = 2 and 2 + 1e-9.
    EXPECT_NEAR(expected_norm(d, 2.0 + 1e-9) / l2_ball_width(d), 1.0, 5e-9) << d;
    EXPECT_NEAR(expected_norm(d, 1e15) / l1_ball_width(d), 1.0, 1e-10) << d;
  }
}

TEST(SetWidth, GroupsMatchTheirClosedForms) {
  for (const std::size_t k : {1, 2, 7, 40, 1000, 1000000}) {
    EXPECT_NEAR(group_ball_width(std::vector<std::size_t>{k}) / l2_ball_width(k), 1.0, 1e-10) << k;
  }
  for (const std::size_t n : {2, 9, 1000, 1000000}) {
    EXPECT_NEAR(group_ball_width(std::vector<std::size_t>(n, 1)) / l1_ball_width(n), 1.0, 1e-10) << n;
  }
  // Norms of pairs have P(norm > t) = e^(-t^2/2); the largest of n, by inclusion and exclusion.
  double expected = 0.0;
  double binomial = 1.0;
  for (int k = 1; k <= 8; ++k) {
    binomial *= (9.0 - k) / k;
    expected += (k % 2 == 1 ? 1.0 : -1.0) * binomial * std::sqrt(std::numbers::pi / (2.0 * k));
  }
  EXPECT_NEAR(group_ball_width(std::vector<std::size_t>(8, 2)), expected, 1e-10);
}

TEST(SetWidth, SimplexMatchesItsClosedForms) {
  EXPECT_EQ(simplex_width(1), 0.0);
  EXPECT_NEAR(simplex_width(2), 1.0 / std::sqrt(std::numbers::pi), 1e-12);
  EXPECT_NEAR(simplex_width(3), 1.5 / std::sqrt(std::numbers::pi), 1e-12);
  EXPECT_NEAR(make_simplex(3, 4.0)->gaussian_width(), 6.0 / std::sqrt(std::numbers::pi), 1e-12);
}

TEST(SetWidth, PolytopesMatchTheirClosedForms) {
  // In the plane the width is the perimeter over 2 sqrt(2 pi); a segment counts twice.
  const double root = std::sqrt(2.0 * std::numbers::pi);
  EXPECT_NEAR(make_polytope(2, Point{3.0, 4.0, 0.0, 0.0})->gaussian_width(), 5.0 / root, 1e-13);
  EXPECT_NEAR(make_polytope(1, Point{3.0, -1.0, 0.5, 2.0})->gaussian_width(), 4.0 / root, 1e-13);
  const double triangle = 3.0 + 4.0 + 5.0;
  EXPECT_NEAR(make_polytope(2, Point{0.0, 0.0, 3.0, 0.0, 3.0, 4.0})->gaussian_width() / (triangle / 2.0 / root), 1.0,
              0.01);
  for (const std::size_t d : {3, 8, 30}) {
    Point cross;
    for (std::size_t k = 0; k < 2 * d; ++k) {
      Point vertex(d, 0.0);
      vertex[k / 2] = k % 2 == 0 ? 2.0 : -2.0;
      cross.insert(cross.end(), vertex.begin(), vertex.end());
    }
    EXPECT_NEAR(make_polytope(d, cross)->gaussian_width() / (2.0 * l1_ball_width(d)), 1.0, 0.01) << d;
  }
}

TEST(SetWidth, EverySetAgreesWithMonteCarlo) {
  // max over K of <v, g>, with g scaled to its mean length (the length is independent of the direction), averaged over
  // n draws. Unscaled it is a Lipschitz function of g with constant at most the diameter, and scaling only removes
  // variance, so the mean leaves the width by more than 6 standard errors with probability about 2e-9, for fewer than
  // 100 comparisons; the standard error is at most diameter / sqrt(n), 0.4% of it. The polytope's width has an error of
  // its own, and the elastic net's is an upper bound. A width wrong by 3% of the diameter is caught for every set.
  constexpr int draws = 60000;
  std::mt19937_64 generator(401);
  for (const std::size_t d : {1, 2, 5, 25}) {
    for (const Set& set : every_set(generator, d, 2.0)) {
      Point v(d);
      double mean = 0.0;
      double squares = 0.0;
      for (int draw = 0; draw < draws; ++draw) {
        Point g = random_point(generator, d, 1.0);
        const double length = norm(g);
        set->minimise_linear(g, v);
        const double product = -dot(g, v) * l2_ball_width(d) / length;
        mean += product / draws;
        squares += product * product / draws;
      }
      const double width = set->gaussian_width();
      const double own = set->name().starts_with("elastic")    ? 0.015
                         : set->name().starts_with("polytope") ? 0.005
                                                               : 1e-9;
      const double standard_error = std::sqrt(std::max(0.0, squares - mean * mean) / draws);
      EXPECT_LE(standard_error, set->diameter() / std::sqrt(draws));
      EXPECT_LE(std::abs(mean - width), 6.0 * standard_error + own * width + 1e-9 * set->diameter())
          << set->name() << " d=" << d;
    }
  }
}

TEST(SetWidth, TheElasticNetsBoundIsNeverTooLowAndLessThanTwoPercentTooHigh) {
  // Monte Carlo with a relative standard error below 0.2%; 5 of them, over 30 comparisons, are a false-alarm
  // probability below 2e-5 under normal errors and fixed by the seed in any case.
  std::mt19937_64 generator(402);
  for (const std::size_t d : {2, 4, 10, 50}) {
    for (const double share : {0.03, 0.3, 0.5, 0.7, 0.9, 0.99}) {
      const auto set = make_elastic_ball(d, share, 1.0);
      const int draws = d < 50 ? 20000 : 8000;
      double mean = 0.0;
      double squares = 0.0;
      Point v(d);
      for (int draw = 0; draw < draws; ++draw) {
        const Point g = random_point(generator, d, 1.0);
        set->minimise_linear(g, v);
        const double product = -dot(g, v) * l2_ball_width(d) / norm(g);
        mean += product / draws;
        squares += product * product / draws;
      }
      const double standard_error = std::sqrt((squares - mean * mean) / draws);
      EXPECT_LE(standard_error, 2e-3 * mean);
      EXPECT_GE(set->gaussian_width(), mean - 5.0 * standard_error) << d << " " << share;
      EXPECT_LE(set->gaussian_width(), 1.02 * mean + 5.0 * standard_error) << d << " " << share;
    }
  }
  EXPECT_NEAR(elastic_ball_width(50, 1.0 - 1e-9), l1_ball_width(50), 1e-4);
  EXPECT_NEAR(elastic_ball_width(50, 1e-9), l2_ball_width(50), 1e-4);
}

TEST(SetWidth, OrdersSetsAsInclusionDoes) {
  const std::size_t d = 60;
  double last = l1_ball_width(d);
  for (const double p : {1.01, 1.1, 1.3, 1.5, 1.8, 1.99}) {
    const double width = make_lp_ball(d, p, 1.0)->gaussian_width();
    EXPECT_GT(width, last);
    last = width;
  }
  EXPECT_LT(last, l2_ball_width(d));
  EXPECT_LT(make_simplex(d, 1.0)->gaussian_width(), l1_ball_width(d));
  EXPECT_LT(l1_ball_width(d), parse_constraint("group:3:1", d)->gaussian_width());
  EXPECT_LT(parse_constraint("group:3:1", d)->gaussian_width(), parse_constraint("group:10:1", d)->gaussian_width());
}

}  // namespace
}  // namespace rivulet::geometry
