// The lift's result lies in K, whatever the image: of K's points, outside, zero, huge, tiny.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/sets.h"
#include "rivulet/error.h"
#include "sketch/dense_map.h"
#include "sketch/projected_solver.h"

namespace rivulet::sketch {
namespace {

using geometry::Point;
using geometry::Set;

TEST(LiftInside, HoldsForThousandsOfImages) {
  std::mt19937_64 generator(921);
  int cases = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const std::size_t d = 1 + generator() % 12;
    const std::size_t m = 1 + generator() % std::min<std::size_t>(d + 1, 7);
    const auto map = gaussian_map(generator, m, d);
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      ProjectedSolver solver(set, map);
      for (const double factor : {0.0, 1e-9, 0.5, 1.0, 1.0 + 1e-12, 1.0 + 1e-6, 1.2, 1e6}) {
        Point theta = geometry::awkward_point(generator, d, 1.0);
        set->project(theta);
        Point image(m);
        map->apply(geometry::times(factor, theta), image);
        const auto lifted = solver.lift(image);
        EXPECT_TRUE(set->contains(lifted)) << set->name() << " " << factor;
        if (factor <= 1.0 && geometry::holds_the_origin(*set)) {
          EXPECT_LE(solver.report().residual, 1e-7 * geometry::norm(image)) << set->name() << " " << factor;
          EXPECT_LE(solver.report().gauge, factor * (1.0 + 1e-6)) << set->name() << " " << factor;
        }
        ++cases;
      }
    }
  }
  EXPECT_GE(cases, 2500);
}

TEST(LiftInside, TheNearestImageIsTakenForOneOutside) {
  std::mt19937_64 generator(922);
  for (int trial = 0; trial < 10; ++trial) {
    const std::size_t d = 5 + generator() % 20;
    const std::size_t m = 2 + generator() % 4;
    const auto map = gaussian_map(generator, m, d);
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      ProjectedSolver solver(set, map);
      const Point image = geometry::random_point(generator, m, 20.0);
      const auto lifted = solver.lift(image);
      // Variational inequality: no point of K lies farther along the residual.
      Point reached(m);
      map->apply(lifted, reached);
      const Point residual = geometry::minus(image, reached);
      Point slope(d);
      map->apply_transpose(residual, slope);
      Point vertex(d);
      set->minimise_linear(geometry::times(-1.0, slope), vertex);
      const double gain = geometry::dot(slope, vertex) - geometry::dot(residual, reached);
      EXPECT_LE(gain, 1e-12 + 1e-6 * geometry::dot(residual, residual)) << set->name();
    }
  }
}

TEST(LiftInside, HoldsForEveryMagnitude) {
  std::mt19937_64 generator(923);
  const std::size_t d = 9;
  const std::size_t m = 4;
  const auto map = gaussian_map(generator, m, d);
  for (const double radius : {1e-300, 1e-150, 1e-3, 1.0, 1e3, 1e150}) {
    for (const Set& set : geometry::every_set(generator, d, radius)) {
      ProjectedSolver solver(set, map);
      for (const double size : {1e-300, 1e-200, 1e-100, 1e-5, 1.0, 1e5, 1e100, 1e200}) {
        const auto lifted = solver.lift(geometry::random_point(generator, m, size));
        EXPECT_TRUE(set->contains(lifted)) << set->name() << " " << size;
      }
      Point theta = geometry::times(radius, geometry::random_point(generator, d, 1.0));
      set->project(theta);
      Point image(m);
      map->apply(theta, image);
      EXPECT_TRUE(set->contains(solver.lift(image))) << set->name();
      EXPECT_LE(solver.report().residual, 1e-7 * geometry::norm(geometry::times(1.0 / radius, image)) * radius)
          << set->name();
    }
  }
}

TEST(LiftInside, AZeroImageHasTheOriginForItsLift) {
  std::mt19937_64 generator(924);
  const auto map = gaussian_map(generator, 3, 8);
  for (const Set& set : geometry::every_set(generator, 8, 1.0)) {
    ProjectedSolver solver(set, map);
    const auto lifted = solver.lift(Point(3, 0.0));
    if (geometry::holds_the_origin(*set)) {
      EXPECT_TRUE(std::all_of(lifted.begin(), lifted.end(), [](double x) { return x == 0.0; })) << set->name();
      EXPECT_EQ(solver.report().gauge, 0.0);
    }
    EXPECT_TRUE(set->contains(lifted));
  }
}

TEST(LiftInside, IsThePointItselfWhereTheMapIsTheIdentity) {
  std::mt19937_64 generator(925);
  const std::size_t d = 10;
  const auto map = identity_map(d);
  for (int trial = 0; trial < 10; ++trial) {
    for (const Set& set : geometry::every_set(generator, d, 2.0)) {
      ProjectedSolver solver(set, map);
      Point theta = geometry::awkward_point(generator, d, 1.0);
      set->project(theta);
      const auto lifted = solver.lift(theta);
      for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(lifted[i], theta[i], 1e-7) << set->name();
      EXPECT_NEAR(solver.report().gauge, set->gauge(theta), 1e-6) << set->name();
    }
  }
}

TEST(LiftInside, AStartNeedNotFitAnything) {
  std::mt19937_64 generator(926);
  const std::size_t d = 20;
  const auto map = gaussian_map(generator, 5, d);
  for (const Set& set : geometry::every_set(generator, d, 1.0)) {
    ProjectedSolver solver(set, map);
    Point theta = geometry::awkward_point(generator, d, 1.0);
    set->project(theta);
    if (geometry::holds_the_origin(*set)) theta = geometry::times(0.5, theta);
    Point image(5);
    map->apply(theta, image);
    solver.lift(image);
    const double expected = solver.report().gauge;
    EXPECT_TRUE(set->contains(solver.lift(image, geometry::random_point(generator, d, 100.0))));
    EXPECT_NEAR(solver.report().gauge, expected, 1e-6) << set->name();
    solver.lift(image, theta);
    EXPECT_NEAR(solver.report().gauge, expected, 1e-6) << set->name();
  }
}

}  // namespace
}  // namespace rivulet::sketch
