// The solvers over every set: they need nothing of a set but its projection and its linear minimiser, and a start
// inside.
#include <gtest/gtest.h>

#include "geometry/sets.h"
#include "solve/default_solver.h"
#include "solve/instances.h"
#include "solve/noisy_proj_grad.h"

namespace rivulet::geometry {
namespace {

using solve::AcceleratedSolver;
using solve::DefaultSolver;
using solve::Instance;

// Plain projected gradient with the safe step 1 / trace, long enough to be no worse than the solver.
double long_run(const Instance& instance, const ConstraintSet& set) {
  const std::size_t d = instance.dimension;
  double trace = 0.0;
  for (std::size_t i = 0; i < d; ++i) trace += instance.gram[i * d + i];
  Point theta = projected(set, Point(d, 0.0));
  Point gradient(d);
  double value = instance.quadratic().value(theta);
  for (int step = 0; step < 20000; ++step) {
    instance.quadratic().gradient(theta, gradient);
    for (std::size_t i = 0; i < d; ++i) theta[i] -= 0.5 * gradient[i] / trace;
    set.project(theta);
    const double next = instance.quadratic().value(theta);
    if (step % 100 == 99 && !(next < value)) break;
    value = std::min(value, next);
  }
  return value;
}

// max over v in K of <gradient, theta - v>: no point of K has an objective lower by more than this.
double duality_gap(const Instance& instance, const ConstraintSet& set, const Point& theta) {
  Point gradient(theta.size());
  Point best(theta.size());
  instance.quadratic().gradient(theta, gradient);
  set.minimise_linear(gradient, best);
  return dot(gradient, minus(theta, best));
}

TEST(SolversOverSets, AcceleratedSolverReachesTheMinimumOverEverySetAndStaysInside) {
  std::mt19937_64 generator(501);
  for (const std::size_t d : {1, 2, 6, 15}) {
    for (const double scale : {0.05, 0.5, 20.0}) {
      for (const Set& set : every_set(generator, d, scale)) {
        const Instance instance = solve::random_instance(generator, d, 200, 3.0, 0.0);
        AcceleratedSolver solver(set);
        const auto span = solver.solve(instance.quadratic());
        const Point theta(span.begin(), span.end());
        EXPECT_TRUE(set->contains(theta)) << set->name();
        const double reached = instance.quadratic().value(theta);
        const double expected = long_run(instance, *set);
        EXPECT_LE(reached, expected + 1e-6 * std::abs(expected)) << set->name() << " d=" << d;
        EXPECT_LE(duality_gap(instance, *set, theta),
                  1e-6 * std::abs(reached) + 1e-9 * set->diameter() * norm(instance.cross))
            << set->name() << " d=" << d;
      }
    }
  }
}

TEST(SolversOverSets, DefaultSolverStaysInsideEverySetForAnyStatistics) {
  // Definite, indefinite and all but zero; magnitudes that take the rescaled path; no information at all.
  std::mt19937_64 generator(502);
  for (const std::size_t d : {1, 3, 8}) {
    for (const double scale : {1e-80, 1.0, 1e80}) {
      for (const Set& set : every_set(generator, d, scale)) {
        for (const double sigma : {0.0, 1.0, 100.0}) {
          Instance instance = solve::random_instance(generator, d, 100, 2.0, sigma);
          for (const double factor : {0.0, 1e-100, 1.0, 1e100}) {
            Instance scaled = instance;
            for (double& entry : scaled.gram) entry *= factor;
            for (double& entry : scaled.cross) entry *= factor;
            const double level = sigma * factor;
            DefaultSolver solver(set);
            const auto span = solver.solve(scaled.quadratic(), {level, level / std::sqrt(2.0), level});
            EXPECT_TRUE(set->contains(span)) << set->name() << " sigma " << sigma << " factor " << factor;
          }
        }
      }
    }
  }
}

TEST(SolversOverSets, AnIndefiniteObjectiveOverTheSimplexEndsNoHigherThanAtAnyVertex) {
  std::mt19937_64 generator(503);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t d = 2 + trial % 6;
    const Instance instance = solve::random_instance(generator, d, 20, 1.0, 30.0);
    const Set set = make_simplex(d, 1.0);
    AcceleratedSolver solver(set);
    const auto theta = solver.solve(instance.quadratic());
    EXPECT_TRUE(set->contains(theta));
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < d; ++i) {
      Point vertex(d, 0.0);
      vertex[i] = 1.0;
      best = std::min(best, instance.quadratic().value(vertex));
    }
    EXPECT_LE(instance.quadratic().value(theta), best + 1e-9 * std::abs(best));
  }
}

TEST(SolversOverSets, NoisyProjGradStartsAndEndsInsideEverySet) {
  std::mt19937_64 generator(504);
  for (const Set& set : every_set(generator, 5, 1.0)) {
    const Instance instance = solve::random_instance(generator, 5, 50, 1.0, 0.0);
    const auto gradient = [&](std::span<const double> theta, std::span<double> out) {
      instance.quadratic().gradient(theta, out);
    };
    const auto parameters = solve::NoisyProjGradParameters::from_corollary(set->diameter(), 5.0, 200.0, 3000);
    const auto theta = solve::noisy_proj_grad(*set, gradient, parameters);
    EXPECT_TRUE(set->contains(theta)) << set->name();
    EXPECT_LE(instance.quadratic().value(theta),
              long_run(instance, *set) + parameters.value_bound(2.0 * set->diameter()))
        << set->name();
  }
}

}  // namespace
}  // namespace rivulet::geometry
