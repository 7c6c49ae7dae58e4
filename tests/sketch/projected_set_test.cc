// Phi K as a constraint set: projection, linear minimisation and gauge fit together by duality.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/sets.h"
#include "rivulet/error.h"
#include "sketch/dense_map.h"
#include "sketch/projected_solver.h"
#include "solve/instances.h"
#include "solve/noisy_proj_grad.h"

namespace rivulet::sketch {
namespace {

using namespace solve;
using geometry::Point;
using geometry::Set;

TEST(ProjectedSet, ProjectsToThePointNoVertexImprovesOn) {
  std::mt19937_64 generator(931);
  for (int trial = 0; trial < 5; ++trial) {
    const std::size_t m = 2 + generator() % 5;
    const std::size_t d = m + generator() % 20;
    const auto map = gaussian_map(generator, m, d);
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      const auto image = make_projected_set(set, map);
      ASSERT_EQ(image->dimension(), m);
      const Point from = geometry::random_point(generator, m, 3.0);
      const Point nearest = geometry::projected(*image, from);
      EXPECT_TRUE(image->contains(nearest)) << image->name();
      EXPECT_EQ(geometry::projected(*image, nearest), nearest) << image->name();
      const Point residual = geometry::minus(from, nearest);
      Point vertex(m);
      image->minimise_linear(geometry::times(-1.0, residual), vertex);
      EXPECT_LE(geometry::dot(residual, geometry::minus(vertex, nearest)), 1e-7 * image->diameter() * 10.0)
          << image->name();
    }
  }
}

TEST(ProjectedSet, HasTheGaugeThatIsDualToItsSupportFunction) {
  std::mt19937_64 generator(932);
  for (int trial = 0; trial < 4; ++trial) {
    const std::size_t m = 2 + generator() % 5;
    const std::size_t d = m + 1 + generator() % 20;
    const auto map = gaussian_map(generator, m, d);
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      if (!geometry::holds_the_origin(*set)) continue;
      const auto image = make_projected_set(set, map);
      // A vertex is on the boundary: gauge 1; the gauge scales; <x, u> <= gauge(x) h(u).
      Point vertex(m);
      const Point direction = geometry::random_point(generator, m, 1.0);
      image->minimise_linear(direction, vertex);
      EXPECT_NEAR(image->gauge(vertex), 1.0, 1e-6) << image->name();
      EXPECT_NEAR(image->gauge(geometry::times(0.25, vertex)), 0.25, 1e-6) << image->name();
      EXPECT_NEAR(image->gauge(geometry::times(40.0, vertex)), 40.0, 1e-4) << image->name();
      EXPECT_TRUE(image->contains(geometry::times(0.999, vertex))) << image->name();
      EXPECT_FALSE(image->contains(geometry::times(1.001, vertex))) << image->name();
      EXPECT_TRUE(image->contains(geometry::times(1.001, vertex), 0.01)) << image->name();
      const Point point = geometry::random_point(generator, m, 1.0);
      const double support = -geometry::dot(direction, vertex);
      EXPECT_LE(-geometry::dot(point, direction), image->gauge(point) * support * (1.0 + 1e-6)) << image->name();
      EXPECT_LE(geometry::norm(vertex), image->diameter() * (1.0 + 1e-12)) << image->name();
      const auto twice = image->scaled(2.0);
      EXPECT_NEAR(twice->gauge(vertex), 0.5, 1e-6) << image->name();
    }
  }
}

TEST(ProjectedSet, IsThePlainSetWhereTheMapIsTheIdentity) {
  std::mt19937_64 generator(933);
  const std::size_t d = 8;
  const auto map = identity_map(d);
  for (int trial = 0; trial < 6; ++trial) {
    for (const Set& set : geometry::every_set(generator, d, 1.5)) {
      const auto image = make_projected_set(set, map);
      const Point from = geometry::awkward_point(generator, d, 2.0);
      const Point expected = geometry::projected(*set, from);
      const Point nearest = geometry::projected(*image, from);
      for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(nearest[i], expected[i], 1e-6) << image->name();
      if (geometry::holds_the_origin(*set) && std::isfinite(set->gauge(from))) {
        EXPECT_NEAR(image->gauge(from), set->gauge(from), 1e-6 * set->gauge(from)) << image->name();
      }
      EXPECT_LE(set->gaussian_width(), image->gaussian_width() * (1.0 + 1e-9)) << image->name();
    }
  }
}

TEST(ProjectedSet, ServesNoisyProjGrad) {
  std::mt19937_64 generator(934);
  const std::size_t m = 6;
  const std::size_t d = 300;
  const auto map = gaussian_map(generator, m, d);
  const Set set = make_l1_ball(d, 1.0);
  const auto image = make_projected_set(set, map);
  const Instance instance = random_instance(generator, m, 200, 2.0, 0.0);
  ProjectedSolver solver(set, map);
  solver.minimise(instance.quadratic(), {});
  const double least = solver.report().objective;
  const auto gradient = [&](std::span<const double> theta, std::span<double> out) {
    instance.quadratic().gradient(theta, out);
  };
  const auto parameters = NoisyProjGradParameters::from_corollary(image->diameter(), 10.0, 800.0, 300);
  const std::vector<double> average = noisy_proj_grad(*image, gradient, parameters);
  EXPECT_TRUE(image->contains(average));
  EXPECT_GE(instance.quadratic().value(average), least - 1e-6 * std::abs(least));
  EXPECT_LE(instance.quadratic().value(average), least + parameters.value_bound(image->diameter()));
}

TEST(ProjectedSet, RefusesPointsThatAreNotFinite) {
  std::mt19937_64 generator(935);
  const auto image = make_projected_set(make_l1_ball(5, 1.0), gaussian_map(generator, 2, 5));
  Point point{1.0, std::nan("")};
  EXPECT_THROW(image->project(point), Error);
  EXPECT_FALSE(image->contains(point));
}

}  // namespace
}  // namespace rivulet::sketch
