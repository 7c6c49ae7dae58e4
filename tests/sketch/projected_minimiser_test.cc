// Minimising over Phi K against the dense solvers on Phi^T Q Phi.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "geometry/sets.h"
#include "rivulet/error.h"
#include "sketch/dense_map.h"
#include "sketch/projected_solver.h"
#include "solve/accelerated.h"
#include "solve/default_solver.h"
#include "solve/instances.h"

namespace rivulet::sketch {
namespace {

using namespace solve;
using geometry::Point;
using geometry::Set;

constexpr ProjectedSolverOptions kPlain{.regularise = false, .ridge = 0.0};

// Phi^T Q Phi and Phi^T q.
Instance pulled_back(const LinearMap& map, const Instance& image) {
  const std::size_t d = map.columns();
  Instance instance{d, Point(d * d), Point(d)};
  Point product(map.rows());
  for (std::size_t j = 0; j < d; ++j) {
    Point column(map.rows(), 0.0);
    map.add_column(j, 1.0, column);
    image.quadratic().multiply(column, product);
    for (std::size_t i = 0; i <= j; ++i) {
      instance.gram[i * d + j] = instance.gram[j * d + i] = map.column_dot(i, product);
    }
  }
  map.apply_transpose(image.cross, instance.cross);
  return instance;
}

Point minimised(const Set& set, const std::shared_ptr<const LinearMap>& map, const Instance& image,
                const Point& start = {}) {
  ProjectedSolver solver(set, map, kPlain);
  const auto theta = solver.minimise(image.quadratic(), {}, start);
  return {theta.begin(), theta.end()};
}

std::vector<Set> sparse_sets(std::mt19937_64& generator, std::size_t dimension, double radius) {
  std::vector<Set> sets;
  sets.push_back(make_l1_ball(dimension, radius));
  sets.push_back(make_simplex(dimension, radius));
  sets.push_back(make_group_ball(geometry::random_sizes(generator, dimension), radius));
  sets.push_back(make_elastic_ball(dimension, 0.7, radius));
  return sets;
}

TEST(ProjectedSolver, ReachesTheDenseMinimumOfConvexObjectives) {
  std::mt19937_64 generator(911);
  for (int trial = 0; trial < 8; ++trial) {
    // Above 256 columns the problem is no longer taken whole.
    const std::size_t d = trial < 4 ? 10 + generator() % 50 : 280 + generator() % 60;
    const std::size_t m = 4 + generator() % 20;
    const auto map = gaussian_map(generator, m, d);
    const Instance image = random_instance(generator, m, 200, 3.0, 0.0);
    const Instance whole = pulled_back(*map, image);
    for (const Set& set : geometry::every_set(generator, d, 0.3 + 0.5 * (trial % 5))) {
      // The dense solver would take minutes over the one, seconds over the others.
      const std::string name = set->name();
      const bool slow = name.starts_with("polytope") || (name.starts_with("lp") && !name.starts_with("lp:1.5"));
      if (d > 100 && slow) continue;
      const Point theta = minimised(set, map, image);
      EXPECT_TRUE(set->contains(theta)) << set->name();
      DefaultSolver dense(set, {.regularise = false, .ridge = 0.0});
      const double expected = whole.quadratic().value(dense.solve(whole.quadratic(), {}));
      EXPECT_LE(whole.quadratic().value(theta), expected + 1e-6 * std::abs(expected)) << set->name() << " d " << d;
    }
  }
}

TEST(ProjectedSolver, ReachesTheDenseMinimumOverPolytopesOfManyVertices) {
  std::mt19937_64 generator(912);
  for (int trial = 0; trial < 4; ++trial) {
    const std::size_t d = 12;
    const std::size_t m = 6;
    const auto map = gaussian_map(generator, m, d);
    const Instance image = random_instance(generator, m, 200, 3.0, 0.0);
    const Instance whole = pulled_back(*map, image);
    const Set set = make_polytope(d, geometry::random_vertices(generator, d, 500, 0.3));
    const Point theta = minimised(set, map, image);
    EXPECT_TRUE(set->contains(theta));
    DefaultSolver dense(set, {.regularise = false, .ridge = 0.0});
    const double expected = whole.quadratic().value(dense.solve(whole.quadratic(), {}));
    EXPECT_LE(whole.quadratic().value(theta), expected + 1e-6 * std::abs(expected));
  }
}

// Finding the global minimum is NP-hard, so neither solver promises it; here they are compared on noise smaller and
// larger than the signal. Which of several stationary points is reached is luck: with other seeds up to one instance in
// two hundred ends more than 1% above the dense run, and several times as many below it.
TEST(ProjectedSolver, IsRarelyOnePercentAboveALongDenseRunOnIndefiniteObjectives) {
  std::mt19937_64 generator(913);
  std::vector<double> excess;
  for (int trial = 0; trial < 75; ++trial) {
    const std::size_t d = 260 + generator() % 200;
    const std::size_t m = 15 + generator() % 40;
    std::shared_ptr<const LinearMap> map = gaussian_map(generator, m, d);
    if (trial % 2 == 0) map = std::make_shared<SparseSignMap>(generator, m, d, 8);
    const Instance image = random_instance(generator, m, 100, 3.0, std::pow(10.0, trial % 4 - 1));
    const Instance whole = pulled_back(*map, image);
    for (const Set& set : sparse_sets(generator, d, 0.5 + trial % 4)) {
      const double reached = whole.quadratic().value(minimised(set, map, image));
      AcceleratedSolver dense(set, {.relative_gap = 1e-10, .max_iterations = 20000});
      const double expected = whole.quadratic().value(dense.solve(whole.quadratic()));
      excess.push_back((reached - expected) / std::abs(expected));
      EXPECT_LE(excess.back(), 0.1) << set->name() << " " << m << " x " << d << ", trial " << trial;
    }
  }
  std::sort(excess.begin(), excess.end());
  EXPECT_LE(excess[excess.size() * 99 / 100], 0.01);
  const auto lower = std::count_if(excess.begin(), excess.end(), [](double e) { return e < -1e-6; });
  const auto higher = std::count_if(excess.begin(), excess.end(), [](double e) { return e > 1e-6; });
  std::printf("of %zu: %td lower than the dense run (least %.1e), %td higher (most %.1e)\n", excess.size(), lower,
              excess.front(), higher, excess.back());
}

TEST(ProjectedSolver, NeverReturnsMoreThanTheStart) {
  std::mt19937_64 generator(914);
  for (int trial = 0; trial < 6; ++trial) {
    const std::size_t d = trial % 2 == 0 ? 30 : 300;
    const std::size_t m = 3 + generator() % 20;
    const auto map = gaussian_map(generator, m, d);
    const Instance image = random_instance(generator, m, 100, 3.0, std::pow(10.0, trial % 5 - 2));
    const Instance whole = pulled_back(*map, image);
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      if (d > 100 && (set->name().starts_with("polytope") || set->name().starts_with("lp"))) continue;
      Point start = geometry::awkward_point(generator, d, 1.0);
      set->project(start);
      if (trial % 3 == 0) start = minimised(set, map, random_instance(generator, m, 100, 3.0, 1.0));
      const double before = whole.quadratic().value(start);
      const double after = whole.quadratic().value(minimised(set, map, image, start));
      EXPECT_LE(after, before + 1e-12 * std::abs(before)) << set->name();
      // From its own result it does not move up either.
      const Point result = minimised(set, map, image);
      const double own = whole.quadratic().value(result);
      EXPECT_LE(whole.quadratic().value(minimised(set, map, image, result)), own + 1e-12 * std::abs(own));
    }
  }
}

TEST(ProjectedSolver, IsAPureFunctionOfItsArguments) {
  std::mt19937_64 generator(915);
  for (const std::size_t d : {20, 300}) {
    const std::size_t m = 8;
    const auto map = gaussian_map(generator, m, d);
    const Instance one = random_instance(generator, m, 100, 3.0, 3.0);
    const Instance other = random_instance(generator, m, 100, 3.0, 0.5);
    const NoiseLevel noise{.gram_diagonal = 0.3, .gram_offdiagonal = 0.2, .cross = 0.1};
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      if (d > 100 && (set->name().starts_with("polytope") || set->name().starts_with("lp"))) continue;
      const auto copy = [](std::span<const double> v) { return Point(v.begin(), v.end()); };
      ProjectedSolver solver(set, map);
      const Point first = copy(solver.minimise(one.quadratic(), noise));
      Point point(m);
      map->apply(first, point);
      const Point lifted = copy(solver.lift(point));
      const Point warm = copy(solver.minimise(other.quadratic(), noise, first));
      static_cast<void>(solver.lift(other.cross));
      EXPECT_EQ(copy(solver.minimise(one.quadratic(), noise)), first) << set->name();
      EXPECT_EQ(copy(solver.lift(point)), lifted) << set->name();
      EXPECT_EQ(copy(solver.minimise(other.quadratic(), noise, first)), warm) << set->name();
      ProjectedSolver fresh(set, map);
      EXPECT_EQ(copy(fresh.lift(point)), lifted) << set->name();
      EXPECT_EQ(copy(fresh.minimise(other.quadratic(), noise, first)), warm) << set->name();
    }
  }
}

TEST(ProjectedSolver, ReportsItsObjectiveAndItsFrankWolfeGap) {
  std::mt19937_64 generator(916);
  for (int trial = 0; trial < 6; ++trial) {
    const std::size_t d = trial % 3 == 0 ? 270 : 25;
    const std::size_t m = 9;
    const auto map = gaussian_map(generator, m, d);
    const Instance image = random_instance(generator, m, 100, 3.0, trial % 3 == 0 ? 0.0 : 5.0);
    const Instance whole = pulled_back(*map, image);
    for (const Set& set : geometry::every_set(generator, d, 2.0)) {
      if (d > 100 && set->name().starts_with("polytope")) continue;
      ProjectedSolver solver(set, map, kPlain);
      const auto theta = solver.minimise(image.quadratic(), {});
      Point gradient(d);
      Point vertex(d);
      whole.quadratic().gradient(theta, gradient);
      set->minimise_linear(gradient, vertex);
      double gap = 0.0;
      double scale = 0.0;
      for (std::size_t i = 0; i < d; ++i) {
        gap += gradient[i] * (theta[i] - vertex[i]);
        scale += std::abs(gradient[i] * theta[i]) + std::abs(gradient[i] * vertex[i]);
      }
      const double objective = whole.quadratic().value(theta);
      EXPECT_NEAR(solver.report().objective, objective, 1e-10 * std::abs(objective)) << set->name();
      EXPECT_NEAR(solver.report().gap, std::max(0.0, gap), 1e-11 * (scale + std::abs(objective))) << set->name();
    }
  }
}

TEST(ProjectedSolver, AgreesWithThePlainSolverWhereTheMapIsTheIdentity) {
  std::mt19937_64 generator(917);
  const std::size_t d = 12;
  const auto map = identity_map(d);
  for (int trial = 0; trial < 8; ++trial) {
    const double sigma = trial % 4 == 0 ? 0.0 : std::pow(10.0, trial % 5 - 2);
    const Instance instance = random_instance(generator, d, 100, 3.0, sigma);
    const NoiseLevel noise{.gram_diagonal = sigma, .gram_offdiagonal = sigma / std::sqrt(2.0), .cross = sigma};
    const double ridge = trial % 3 == 0 ? 2.0 : 0.0;
    for (const Set& set : geometry::every_set(generator, d, 1.0)) {
      ProjectedSolver solver(set, map, {.regularise = true, .ridge = ridge});
      DefaultSolver plain(set, {.regularise = true, .ridge = ridge});
      const auto theta = solver.minimise(instance.quadratic(), noise);
      const auto expected = plain.solve(instance.quadratic(), noise);
      // Minimisers differ where the objective is flat; objectives are compared with the ridge, without the regulariser
      // where the set has none.
      const auto value = [&](std::span<const double> v) {
        double squares = 0.0;
        for (const double entry : v) squares += entry * entry;
        return instance.quadratic().value(v) + ridge * squares;
      };
      const double scale = std::abs(value(expected));
      if (set->prefers_width() || sigma == 0.0) {
        EXPECT_LE(value(theta), value(expected) + 1e-6 * scale) << set->name();
      } else {
        EXPECT_NEAR(value(theta), value(expected), 1e-4 * scale) << set->name();
      }
    }
  }
}

TEST(ProjectedSolver, StaysInsideAndMinimisesWhateverTheMagnitudes) {
  std::mt19937_64 generator(918);
  const std::size_t d = 15;
  const std::size_t m = 5;
  const auto map = gaussian_map(generator, m, d);
  for (const double radius : {1e-150, 1e-20, 1.0, 1e20, 1e150}) {
    for (const double size : {1e-280, 1e-100, 1.0, 1e100, 1e280}) {
      Instance image = random_instance(generator, m, 50, 2.0, 1.0);
      for (double& entry : image.gram) entry *= size;
      for (double& entry : image.cross) entry *= size;
      for (const Set& set : geometry::every_set(generator, d, radius)) {
        ProjectedSolver solver(set, map, kPlain);
        EXPECT_TRUE(set->contains(solver.minimise(image.quadratic(), {}))) << set->name() << " " << size;
      }
    }
  }
}

TEST(ProjectedSolver, StartsAtThePointNearestToTheOriginWhereNothingIsKnown) {
  const auto map = identity_map(4);
  const Point gram(16, 0.0);
  const Point cross(4, 0.0);
  ProjectedSolver solver(make_simplex(4, 2.0), map);
  const auto theta = solver.minimise({4, gram, cross}, {});
  for (const double entry : theta) EXPECT_DOUBLE_EQ(entry, 0.5);
}

TEST(ProjectedSolver, RefusesWhatDoesNotFit) {
  std::mt19937_64 generator(919);
  const auto map = gaussian_map(generator, 3, 7);
  EXPECT_THROW(ProjectedSolver(make_l1_ball(6, 1.0), map), RequestError);
  EXPECT_THROW(ProjectedSolver(make_l1_ball(7, 1.0), map, {.regularise = true, .ridge = -1.0}), RequestError);
  ProjectedSolver solver(make_l1_ball(7, 1.0), map);
  const Instance wrong = random_instance(generator, 4, 10, 1.0, 0.0);
  Instance right = random_instance(generator, 3, 10, 1.0, 0.0);
  EXPECT_THROW(solver.minimise(wrong.quadratic(), {}), Error);
  EXPECT_THROW(solver.minimise(right.quadratic(), {}, Point(6, 0.0)), Error);
  EXPECT_THROW(solver.minimise(right.quadratic(), {.gram_diagonal = -1.0}), Error);
  EXPECT_THROW(solver.lift(Point(4, 0.0)), Error);
  right.cross[1] = std::nan("");
  EXPECT_THROW(solver.minimise(right.quadratic(), {}), Error);
}

}  // namespace
}  // namespace rivulet::sketch
