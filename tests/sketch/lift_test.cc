// The lift against linear programs, closed forms and its own dual bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/sets.h"
#include "sketch/dense_map.h"
#include "sketch/linear_program.h"
#include "sketch/projected_least_squares.h"
#include "sketch/projected_solver.h"
#include "solve/accelerated.h"

namespace rivulet::sketch {
namespace {

using namespace solve;
using geometry::Point;
using geometry::Set;

Point image_of(const LinearMap& map, const Point& theta) {
  Point image(map.rows());
  map.apply(theta, image);
  return image;
}

// A point of K, on its boundary two times in three.
Point random_member(std::mt19937_64& generator, const ConstraintSet& set) {
  Point theta = geometry::awkward_point(generator, set.dimension(), set.diameter());
  set.project(theta);
  if (geometry::holds_the_origin(set) && generator() % 3 == 0) theta = geometry::times(0.4, theta);
  return theta;
}

Point sparse_member(std::mt19937_64& generator, std::size_t dimension, std::size_t count, double radius) {
  std::normal_distribution<double> normal;
  Point theta(dimension, 0.0);
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    double& entry = theta[generator() % dimension];
    sum -= std::abs(entry);
    entry = 0.3 * normal(generator) + (generator() % 2 == 0 ? 1.0 : -1.0);
    sum += std::abs(entry);
  }
  return geometry::times(0.9 * radius / sum, theta);
}

TEST(Lift, FindsTheSparsePointBehindAnImageOverTheL1Ball) {
  std::mt19937_64 generator(901);
  for (const std::size_t d : {100, 1000, 20000}) {
    for (int trial = 0; trial < 5; ++trial) {
      const std::size_t m = d < 10000 ? 80 : 150;
      std::shared_ptr<const LinearMap> map;
      if (trial % 2 == 0) {
        map = std::make_shared<SparseSignMap>(generator, m, d, 8);
      } else if (d <= 1000) {
        map = gaussian_map(generator, m, d);
      } else {
        continue;
      }
      const Point theta = sparse_member(generator, d, 6, 2.0);
      ProjectedSolver solver(make_l1_ball(d, 2.0), map);
      const auto lifted = solver.lift(image_of(*map, theta));
      for (std::size_t i = 0; i < d; ++i) ASSERT_NEAR(lifted[i], theta[i], 1e-6) << d << " " << trial;
      EXPECT_NEAR(solver.report().gauge, 0.9, 1e-6);
      EXPECT_NEAR(solver.report().gauge_bound, 0.9, 1e-6);
      EXPECT_LE(solver.report().residual, 1e-7);
    }
  }
}

TEST(Lift, FindsTheFewGroupsBehindAnImageOverTheGroupBall) {
  std::mt19937_64 generator(902);
  std::normal_distribution<double> normal;
  for (const std::size_t groups : {50, 400, 4000}) {
    const std::size_t m = 90;
    const std::size_t d = 4 * groups;
    const auto map = std::make_shared<SparseSignMap>(generator, m, d, 8);
    const auto set = std::shared_ptr<const ConstraintSet>(make_group_ball(std::vector<std::size_t>(groups, 4), 1.0));
    Point theta(d, 0.0);
    for (int k = 0; k < 3; ++k) {
      const std::size_t group = generator() % groups;
      for (std::size_t i = 4 * group; i < 4 * group + 4; ++i) theta[i] = normal(generator);
    }
    theta = geometry::times(0.8 / set->gauge(theta), theta);
    ProjectedSolver solver(set, map);
    const auto lifted = solver.lift(image_of(*map, theta));
    for (std::size_t i = 0; i < d; ++i) ASSERT_NEAR(lifted[i], theta[i], 1e-6) << groups;
    EXPECT_NEAR(solver.report().gauge, 0.8, 1e-6);
  }
}

// `expected` is the optimum of the linear program.
void expect_least_gauge(ProjectedSolver& solver, const Point& image, double expected, const std::string& what,
                        double& worst) {
  solver.lift(image);
  const ProjectedReport& report = solver.report();
  ASSERT_TRUE(std::isfinite(expected)) << what;
  worst = std::max(worst, std::abs(report.gauge - expected) / expected);
  EXPECT_NEAR(report.gauge, expected, 1e-6 * expected) << what;
  EXPECT_NEAR(report.gauge_bound, expected, 1e-6 * expected) << what;
  EXPECT_LE(report.residual, 1e-8 * geometry::norm(image)) << what;
}

TEST(Lift, ReachesTheOptimumOfTheLinearProgram) {
  std::mt19937_64 generator(903);
  double worst = 0.0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t m = 2 + generator() % 25;
    const std::size_t d = m + 1 + generator() % (4 * m);
    const auto map = gaussian_map(generator, m, d);
    const double radius = std::pow(10.0, static_cast<double>(generator() % 5) - 2.0);
    const std::string what = "trial " + std::to_string(trial) + ", " + std::to_string(m) + " x " + std::to_string(d);
    {
      const Set set = make_l1_ball(d, radius);
      ProjectedSolver solver(set, map);
      const Point image = image_of(*map, random_member(generator, *set));
      expect_least_gauge(solver, image, least_l1_gauge(*map, image, radius), what + ", l1", worst);
    }
    {
      const double low = trial % 3 == 0 ? 0.0 : -0.5 * radius;
      const Set set = make_box(d, low, radius);
      ProjectedSolver solver(set, map);
      const Point image = image_of(*map, random_member(generator, *set));
      expect_least_gauge(solver, image, least_box_gauge(*map, image, low, radius), what + ", box", worst);
    }
    {
      const Point vertices = geometry::random_vertices(generator, d, 2 * d, radius);
      const Set set = make_polytope(d, vertices);
      ProjectedSolver solver(set, map);
      Point theta = geometry::random_point(generator, d, 0.1 * radius);
      set->project(theta);
      const Point image = image_of(*map, theta);
      expect_least_gauge(solver, image, least_hull_gauge(*map, image, vertices), what + ", polytope", worst);
    }
    {
      // The simplex as a hull with the origin, {v >= 0, sum v <= radius}.
      Point vertices(d * (d + 1), 0.0);
      for (std::size_t i = 0; i < d; ++i) vertices[i * d + i] = radius;
      const Set set = make_polytope(d, vertices);
      ProjectedSolver solver(set, map);
      const Point image = image_of(*map, geometry::times(0.6, random_member(generator, *make_simplex(d, radius))));
      expect_least_gauge(solver, image, least_hull_gauge(*map, image, vertices), what + ", corner", worst);
    }
  }
  RecordProperty("worst_relative_error", std::to_string(worst));
  std::printf("worst relative error of the gauge against Clp: %.2e\n", worst);
}

TEST(Lift, IsTheLeastNormSolutionOverTheL2Ball) {
  std::mt19937_64 generator(904);
  for (const std::size_t d : {7, 40, 600}) {
    const std::size_t m = 6;
    const auto map = gaussian_map(generator, m, d);
    const Set set = make_l2_ball(d, 3.0);
    ProjectedSolver solver(set, map);
    const Point theta = geometry::times(0.5, random_member(generator, *set));
    const Point image = image_of(*map, theta);
    const auto lifted = solver.lift(image);
    // Least norm: orthogonal to the kernel, so the difference to any other solution is orthogonal to it.
    const Point found(lifted.begin(), lifted.end());
    const Point difference = geometry::minus(theta, found);
    EXPECT_NEAR(geometry::dot(difference, found), 0.0, 1e-12);
    EXPECT_LE(solver.report().residual, 1e-12);
    EXPECT_NEAR(solver.report().gauge, solver.report().gauge_bound, 1e-12);
  }
}

// The bound holds for every point with that image (weak duality), checked on the point the image was made from, and the
// gauge attains it, so that both are the optimum.
TEST(Lift, MeetsItsDualBoundOverEverySet) {
  std::mt19937_64 generator(905);
  for (int trial = 0; trial < 8; ++trial) {
    const std::size_t m = 3 + generator() % 12;
    const std::size_t d = m + 1 + generator() % 50;
    const auto map = gaussian_map(generator, m, d);
    for (const Set& set : geometry::every_set(generator, d, 1.0 + trial)) {
      if (!geometry::holds_the_origin(*set)) continue;
      const Point theta = random_member(generator, *set);
      const Point image = image_of(*map, theta);
      ProjectedSolver solver(set, map);
      solver.lift(image);
      const ProjectedReport report = solver.report();
      EXPECT_LE(report.gauge_bound, set->gauge(theta) * (1.0 + 1e-9)) << set->name();
      EXPECT_LE(report.gauge, report.gauge_bound * (1.0 + 1e-6)) << set->name() << " " << m << " x " << d;
      EXPECT_LE(report.residual, 1e-8 * geometry::norm(image)) << set->name() << " " << m << " x " << d;
    }
  }
}

// By weak duality with a residual the lift has no part in: that of the dense solver, of least squares over a multiple
// of K just below the gauge found.
TEST(Lift, HasTheLeastGaugeByAnIndependentDualBound) {
  std::mt19937_64 generator(908);
  const std::size_t m = 5;
  const std::size_t d = 15;
  for (int trial = 0; trial < 5; ++trial) {
    const auto map = gaussian_map(generator, m, d);
    for (const std::string text :
         {"l1:1", "l2:1", "group:3:1", "lp:1.2:1", "lp:1.6:1", "elastic:0.5:1", "box:-1:0.5"}) {
      const Set set = parse_constraint(text, d);
      const Point image = image_of(*map, random_member(generator, *set));
      ProjectedSolver solver(set, map);
      solver.lift(image);
      const double gauge = solver.report().gauge;

      Point gram(d * d);
      for (std::size_t i = 0; i < d; ++i) {
        Point column(m, 0.0);
        map->add_column(i, 1.0, column);
        for (std::size_t j = 0; j < d; ++j) gram[i * d + j] = map->column_dot(j, column);
      }
      Point cross(d);
      map->apply_transpose(image, cross);
      double bound = 0.0;
      for (const double below : {0.1, 0.03, 0.01, 1e-3}) {
        AcceleratedSolver dense(set->scaled(gauge * (1.0 - below)), {.relative_gap = 1e-13, .max_iterations = 20000});
        const auto theta = dense.solve({d, gram, cross});
        const Point residual = geometry::minus(image, image_of(*map, Point(theta.begin(), theta.end())));
        Point slope(d);
        map->apply_transpose(residual, slope);
        Point vertex(d);
        set->minimise_linear(geometry::times(-1.0, slope), vertex);
        bound = std::max(bound, geometry::dot(image, residual) / geometry::dot(slope, vertex));
      }
      EXPECT_GE(bound, gauge * (1.0 - 3e-5)) << text << ", trial " << trial;
    }
  }
}

TEST(Lift, ReturnsAStartThatIsOptimalAsItIs) {
  std::mt19937_64 generator(906);
  const std::size_t m = 60;
  const std::size_t d = 2000;
  const auto map = std::make_shared<SparseSignMap>(generator, m, d, 8);
  const Set set = make_l1_ball(d, 2.0);
  ProjectedSolver solver(set, map);
  const Point theta = sparse_member(generator, d, 5, 2.0);
  const auto lifted = solver.lift(image_of(*map, theta), theta);
  EXPECT_TRUE(std::equal(theta.begin(), theta.end(), lifted.begin()));
  EXPECT_NEAR(solver.report().gauge_bound, 0.9, 1e-8);
}

// A point that is optimal up to rounding cannot be improved by any step; that has to be noticed, and proven by its gap.
TEST(LeastSquares, ProvesAnOptimalStartOptimal) {
  std::mt19937_64 generator(908);
  constexpr std::size_t d = 60;
  for (int trial = 0; trial < 400; ++trial) {
    const SparseSignMap map(generator, 30, d, 8);
    const Set set = make_l1_ball(d, 8.0);
    Point theta(d, 0.0);
    theta[generator() % d] = trial % 2 == 0 ? 8.0 : -5.0;
    if (trial % 2 == 1) theta[generator() % d] = 3.0;
    set->project(theta);
    const Point target = geometry::times(1.0 + 1e-4, image_of(map, theta));
    ProjectedLeastSquares least_squares(*set, map);
    const LeastSquaresEnd end = least_squares.run(target, 1.0, 1e-6, 1e-22 * 64.0, theta);
    EXPECT_LE(end.gap, 1e-6 * end.residual * end.residual + 1e-15) << trial;
    EXPECT_LE(end.steps, 200U) << trial;
  }
}

TEST(Lift, FindsAPointOfTheSimplexWithTheImage) {
  std::mt19937_64 generator(907);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t m = 2 + generator() % 15;
    const std::size_t d = m + 1 + generator() % 400;
    const auto map = gaussian_map(generator, m, d);
    const Set set = make_simplex(d, 2.5);
    ProjectedSolver solver(set, map);
    const Point image = image_of(*map, random_member(generator, *set));
    EXPECT_TRUE(set->contains(solver.lift(image)));
    EXPECT_LE(solver.report().residual, 1e-7) << trial;
    EXPECT_EQ(solver.report().gauge_bound, 1.0);
  }
}

}  // namespace
}  // namespace rivulet::sketch
