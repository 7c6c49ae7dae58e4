// Projections onto the sets with a one-dimensional dual, against bisection in long double.
#include <gtest/gtest.h>

#include <limits>

#include "geometry/sets.h"
#include "geometry/slow_projections.h"

namespace rivulet::geometry {
namespace {

double largest_difference(const Point& a, const Point& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Points for a set of the given size: inside, about the boundary, outside and far outside, with ties and zeros.
std::vector<Point> test_points(std::mt19937_64& generator, std::size_t dimension, double radius) {
  std::vector<Point> points;
  for (const double size : {0.05, 0.5, 1.0, 3.0, 100.0, 1e6}) {
    points.push_back(random_point(generator, dimension, radius * size));
    points.push_back(awkward_point(generator, dimension, radius * size));
    points.push_back(Point(dimension, radius * size));
  }
  points.push_back(Point(dimension, 0.0));
  points.back().back() = -7.0 * radius;
  return points;
}

constexpr std::size_t kDimensions[] = {1, 2, 3, 10, 64, 300};
constexpr double kRadii[] = {1e-200, 0.02, 1.0, 300.0, 1e200};

TEST(Simplex, ProjectionAgreesWithBisection) {
  std::mt19937_64 generator(201);
  for (const std::size_t d : kDimensions) {
    for (const double total : kRadii) {
      const auto set = make_simplex(d, total);
      for (const Point& x : test_points(generator, d, total)) {
        const Point p = projected(*set, x);
        EXPECT_TRUE(set->contains(p));
        EXPECT_LE(largest_difference(p, slow_simplex_projection(x, total)), 1e-14 * total) << d << " " << total;
      }
    }
  }
}

TEST(Simplex, ContainsWhatRoundsToItAndNothingElse) {
  const auto set = make_simplex(10, 1.0);
  EXPECT_TRUE(set->contains(Point(10, 0.1)));  // sums to 0.9999999999999999
  std::mt19937_64 generator(202);
  for (int trial = 0; trial < 1000; ++trial) {
    Point exact(10);
    double sum = 0.0;
    for (double& entry : exact) sum += entry = static_cast<double>(generator() % 1000);
    EXPECT_TRUE(set->contains(times(1.0 / sum, exact)));
    for (double& entry : exact) entry /= sum;
    EXPECT_TRUE(set->contains(exact));
    exact[3] += 3e-15;
    EXPECT_FALSE(set->contains(exact));
  }
  Point negative(10, 0.125);
  negative[0] = -0.125;
  EXPECT_FALSE(set->contains(negative));
  EXPECT_FALSE(set->contains(negative, 1.0));
  EXPECT_EQ(set->gauge(negative), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(set->contains(Point(10, 0.0)));
  EXPECT_EQ(set->gauge(Point(10, 0.2)), 2.0);
}

TEST(Simplex, ProjectionOfTheOriginIsItsCentre) {
  for (const std::size_t d : {1, 3, 7, 1000}) {
    const Point p = projected(*make_simplex(d, 2.0), Point(d, 0.0));
    for (const double entry : p) EXPECT_NEAR(entry, 2.0 / static_cast<double>(d), 1e-15);
  }
}

TEST(GroupBall, ProjectionAgreesWithBisectionForEqualAndUnequalGroups) {
  std::mt19937_64 generator(203);
  for (const std::size_t d : kDimensions) {
    for (const double radius : kRadii) {
      const std::vector<std::size_t> sizes = random_sizes(generator, d);
      const auto set = make_group_ball(sizes, radius);
      for (const Point& x : test_points(generator, d, radius)) {
        const Point p = projected(*set, x);
        EXPECT_TRUE(set->contains(p));
        EXPECT_LE(largest_difference(p, slow_group_projection(x, sizes, radius)), 1e-9 * radius) << set->name();
      }
    }
  }
}

TEST(GroupBall, IsTheL1BallForGroupsOfOneAndTheL2BallForOneGroup) {
  std::mt19937_64 generator(204);
  for (const std::size_t d : {1, 5, 40}) {
    const auto singles = make_group_ball(std::vector<std::size_t>(d, 1), 1.5);
    const auto whole = make_group_ball(std::vector<std::size_t>{d}, 1.5);
    EXPECT_EQ(whole->euclidean_radius(), 1.5);
    EXPECT_EQ(singles->euclidean_radius(), d == 1 ? std::optional(1.5) : std::nullopt);
    for (const Point& x : test_points(generator, d, 1.5)) {
      EXPECT_LE(largest_difference(projected(*singles, x), projected(*make_l1_ball(d, 1.5), x)), 1e-15 * norm(x));
      EXPECT_LE(largest_difference(projected(*whole, x), projected(*make_l2_ball(d, 1.5), x)), 1e-14);
      EXPECT_NEAR(singles->gauge(x), make_l1_ball(d, 1.5)->gauge(x), 1e-13 * singles->gauge(x));
      EXPECT_NEAR(whole->gauge(x), make_l2_ball(d, 1.5)->gauge(x), 1e-13 * whole->gauge(x));
    }
  }
}

TEST(GroupBall, GroupsVanishTogether) {
  const auto set = make_group_ball(std::vector<std::size_t>{2, 2, 1}, 1.0);
  const Point p = projected(*set, {3.0, 4.0, 0.1, -0.2, 4.6});
  EXPECT_EQ(p[2], 0.0);
  EXPECT_EQ(p[3], 0.0);
  // Norms 5, 0.22 and 4.6 become 0.7, 0 and 0.3.
  EXPECT_NEAR(p[0], 0.42, 1e-15);
  EXPECT_NEAR(p[1], 0.56, 1e-15);
  EXPECT_NEAR(p[4], 0.30, 1e-15);
}

TEST(Box, ProjectionIsTheMiddleOfThree) {
  std::mt19937_64 generator(205);
  for (const auto& [low, high] : {std::pair{-1.0, 2.0}, std::pair{0.0, 0.5}, std::pair{-3.0, 0.0}}) {
    const auto set = make_box(20, low, high);
    for (int trial = 0; trial < 100; ++trial) {
      const Point x = awkward_point(generator, 20, std::pow(10.0, trial % 5 - 2));
      const Point p = projected(*set, x);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(p[i], x[i] < low ? low : x[i] > high ? high : x[i]);
    }
  }
}

TEST(ElasticBall, ProjectionAgreesWithBisection) {
  std::mt19937_64 generator(206);
  for (const std::size_t d : kDimensions) {
    for (const double radius : kRadii) {
      for (const double share : {1e-12, 0.1, 0.5, 0.9, 1.0 - 1e-6}) {
        const auto set = make_elastic_ball(d, share, radius);
        for (const Point& x : test_points(generator, d, radius)) {
          const Point p = projected(*set, x);
          EXPECT_TRUE(set->contains(p));
          EXPECT_LE(largest_difference(p, slow_elastic_projection(x, share, radius)), 1e-10 * radius)
              << set->name() << " d=" << d;
        }
      }
    }
  }
}

TEST(ElasticBall, LiesBetweenTheL1AndTheL2BallAndTendsToThem) {
  std::mt19937_64 generator(207);
  for (const double share : {1e-15, 0.3, 0.8, 1.0 - 1e-15}) {
    const auto set = make_elastic_ball(15, share, 2.0);
    for (int trial = 0; trial < 100; ++trial) {
      const Point x = awkward_point(generator, 15, 1.0);
      const double l1 = make_l1_ball(15, 2.0)->gauge(x);
      const double l2 = make_l2_ball(15, 2.0)->gauge(x);
      EXPECT_LE(set->gauge(x), l1 * (1.0 + 1e-14));
      EXPECT_GE(set->gauge(x), l2 * (1.0 - 1e-14));
      // The definition, with the gauge divided out.
      const double g = set->gauge(x);
      EXPECT_NEAR(share * (l1 / g) + (1.0 - share) * (l2 / g) * (l2 / g), 1.0, 1e-13);
      const auto limit = share < 0.5 ? make_l2_ball(15, 2.0) : make_l1_ball(15, 2.0);
      if (share < 1e-14 || share > 0.9) {
        EXPECT_LE(largest_difference(projected(*set, x), projected(*limit, x)), 1e-13) << set->name();
      }
    }
  }
}

TEST(LpBall, ProjectionAgreesWithNestedBisection) {
  std::mt19937_64 generator(208);
  for (const std::size_t d : {1, 2, 5}) {
    for (const double p : {1.003, 1.3, 1.9}) {
      for (const double radius : {1e-200, 0.7, 1e200}) {
        const auto set = make_lp_ball(d, p, radius);
        std::vector<Point> points;
        for (const double size : {0.8, 2.0, 1e5}) points.push_back(awkward_point(generator, d, radius * size));
        for (const Point& x : points) {
          if (set->contains(x)) continue;
          EXPECT_LE(largest_difference(projected(*set, x), slow_lp_projection(x, p, radius)), 1e-11 * radius)
              << set->name() << " d=" << d;
        }
      }
    }
  }
}

TEST(LpBall, ProjectionLeavesAResidualAlongTheNormalOfTheBoundary) {
  // If x' = y + lambda y^(p-1) for a boundary point y and lambda >= 0, then y is the projection of x'. Projections
  // bring points no farther apart, so ||x - x'|| bounds the error of y; lambda is free to choose, and fitted here.
  std::mt19937_64 generator(209);
  for (const std::size_t d : kDimensions) {
    for (const double radius : kRadii) {
      for (const double p : {1.0 + 1e-6, 1.02, 1.2, 1.5, 1.8, 1.99, 2.0 - 1e-12}) {
        const auto set = make_lp_ball(d, p, radius);
        for (const Point& x : test_points(generator, d, radius)) {
          const Point y = projected(*set, x);
          EXPECT_TRUE(set->contains(y));
          if (set->contains(x)) {
            EXPECT_EQ(x, y);
            continue;
          }
          EXPECT_NEAR(set->gauge(y), 1.0, 1e-13);
          long double top = 0.0L;
          long double bottom = 0.0L;
          std::vector<long double> normal(d);
          for (std::size_t i = 0; i < d; ++i) {
            // At the end of the range y has too few digits for y^(p-1); what it lacks is below 1e-307.
            if (y[i] != 0.0 && std::abs(y[i]) < std::numeric_limits<double>::min()) continue;
            normal[i] = std::pow(magnitude(y[i]) / radius, static_cast<long double>(p) - 1.0L);
            const long double residual = (magnitude(x[i]) - magnitude(y[i])) / radius;
            top += normal[i] * residual;
            bottom += normal[i] * normal[i];
          }
          const long double lambda = top / bottom;
          long double squares = 0.0L;
          long double size = 0.0L;
          for (std::size_t i = 0; i < d; ++i) {
            if (x[i] == 0.0) {
              EXPECT_EQ(y[i], 0.0);
              continue;
            }
            if (std::abs(y[i]) < std::numeric_limits<double>::min()) continue;
            const long double moved = (magnitude(x[i]) - magnitude(y[i])) / radius - lambda * normal[i];
            squares += moved * moved;
            size += magnitude(x[i]) / radius * (magnitude(x[i]) / radius);
          }
          EXPECT_GE(lambda, 0.0L);
          EXPECT_LE(static_cast<double>(std::sqrt(squares)), 1e-13 * static_cast<double>(std::sqrt(size)) + 1e-13)
              << set->name() << " d=" << d;
        }
      }
    }
  }
}

TEST(LpBall, TendsToTheL1AndTheL2Ball) {
  std::mt19937_64 generator(210);
  for (int trial = 0; trial < 200; ++trial) {
    const Point x = awkward_point(generator, 12, 1.0);
    EXPECT_LE(
        largest_difference(projected(*make_lp_ball(12, 2.0 - 1e-14, 1.0), x), projected(*make_l2_ball(12, 1.0), x)),
        1e-12);
    EXPECT_LE(
        largest_difference(projected(*make_lp_ball(12, 1.0 + 1e-14, 1.0), x), projected(*make_l1_ball(12, 1.0), x)),
        1e-10);
  }
}

}  // namespace
}  // namespace rivulet::geometry
