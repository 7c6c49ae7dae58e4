// The accelerated solver against an independent slow one, and against NoisyProjGrad.
#include "solve/accelerated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solve/default_solver.h"
#include "solve/instances.h"
#include "solve/noisy_proj_grad.h"

namespace rivulet::solve {
namespace {

double frobenius(std::span<const double> entries) {
  double sum = 0.0;
  for (const double entry : entries) sum += entry * entry;
  return std::sqrt(sum);
}

// Exact coordinate-pair descent over the L1 ball: the problem in the 2d non-negative parts of theta plus slack is a
// simplex, and mass is moved between the best and worst of its vertices with exact line search. Nothing shared with the
// solver.
std::vector<double> slow_l1_minimum(const Instance& instance, double radius) {
  const std::size_t d = instance.dimension;
  std::vector<double> weight(2 * d + 1, 0.0);  // vertices +e_i, -e_i and the origin
  weight[2 * d] = 1.0;
  std::vector<double> theta(d, 0.0);
  std::vector<double> gradient(d);
  const auto vertex = [&](std::size_t k, std::vector<double>& v) {
    std::fill(v.begin(), v.end(), 0.0);
    if (k < d) v[k] = radius;
    if (k >= d && k < 2 * d) v[k - d] = -radius;
  };
  std::vector<double> to(d);
  std::vector<double> from(d);
  std::vector<double> image(d);
  for (int step = 0; step < 20000; ++step) {
    instance.quadratic().gradient(theta, gradient);
    const auto slope = [&](std::size_t k) {
      return k == 2 * d ? 0.0 : (k < d ? radius * gradient[k] : -radius * gradient[k - d]);
    };
    std::size_t best = 0;
    std::size_t worst = 2 * d + 1;
    for (std::size_t k = 0; k <= 2 * d; ++k) {
      if (slope(k) < slope(best)) best = k;
      if (weight[k] > 0.0 && (worst > 2 * d || slope(k) > slope(worst))) worst = k;
    }
    const double fall = slope(worst) - slope(best);
    if (fall <= 0.0) break;
    vertex(best, to);
    vertex(worst, from);
    for (std::size_t i = 0; i < d; ++i) to[i] -= from[i];
    instance.quadratic().multiply(to, image);
    double bend = 0.0;
    for (std::size_t i = 0; i < d; ++i) bend += to[i] * image[i];
    const double length = bend > 0.0 ? std::min(weight[worst], fall / (2.0 * bend)) : weight[worst];
    weight[best] += length;
    weight[worst] = length == weight[worst] ? 0.0 : weight[worst] - length;
    for (std::size_t i = 0; i < d; ++i) theta[i] += length * to[i];
  }
  return theta;
}

// NoisyProjGrad as a private regression would call it on this objective.
std::vector<double> paper_solution(const Instance& instance, const ConstraintSet& set, double sigma) {
  const double root = std::sqrt(static_cast<double>(instance.dimension));
  const double lipschitz = 2.0 * (frobenius(instance.gram) * set.diameter() + frobenius(instance.cross));
  const double alpha = std::max(2.0 * sigma * root * (set.diameter() + 1.0), lipschitz / 50.0);
  const auto parameters = NoisyProjGradParameters::from_corollary(set.diameter(), alpha, lipschitz, 2000);
  const auto gradient = [&](std::span<const double> theta, std::span<double> out) {
    instance.quadratic().gradient(theta, out);
  };
  return noisy_proj_grad(set, gradient, parameters);
}

TEST(AcceleratedSolver, ReachesTheMinimumOverTheL1Ball) {
  std::mt19937_64 generator(81);
  for (const std::size_t d : {1, 2, 5, 20, 60}) {
    for (const double spread : {1.0, 10.0}) {
      for (const double radius : {0.1, 1.0, 20.0}) {
        const Instance instance = random_instance(generator, d, 300, spread, 0.0);
        const std::shared_ptr<const ConstraintSet> set = make_l1_ball(d, radius);
        AcceleratedSolver solver(set);
        const auto theta = solver.solve(instance.quadratic());
        EXPECT_TRUE(set->contains(theta));
        const double reached = instance.quadratic().value(theta);
        const double expected = instance.quadratic().value(slow_l1_minimum(instance, radius));
        EXPECT_LE(reached, expected + 2e-8 * std::abs(expected)) << d << " " << spread << " " << radius;
        EXPECT_LE(solver.report().gap, 1e-6 * std::abs(reached)) << d << " " << spread << " " << radius;
      }
    }
  }
}

TEST(AcceleratedSolver, AgreesWithTheClosedFormOverTheL2Ball) {
  std::mt19937_64 generator(82);
  for (const std::size_t d : {1, 3, 12, 50}) {
    for (const double radius : {0.2, 1.0, 10.0}) {
      const Instance instance = random_instance(generator, d, 300, 3.0, 0.0);
      const std::shared_ptr<const ConstraintSet> set = make_l2_ball(d, radius);
      AcceleratedSolver solver(set);
      TrustRegion exact(d);
      const double ridge = 0.7;
      const auto penalised = [&](std::span<const double> theta) {
        return instance.quadratic().value(theta) + ridge * std::pow(frobenius(theta), 2.0);
      };
      const double expected = penalised(exact.solve(instance.quadratic(), ridge, radius));
      EXPECT_NEAR(penalised(solver.solve(instance.quadratic(), ridge)), expected, 1e-7 * std::abs(expected));
    }
  }
}

TEST(DefaultSolver, IsNeverWorseThanNoisyProjGradOnTheNoisyObjective) {
  std::mt19937_64 generator(84);
  int indefinite = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const std::size_t d = trial % 25 == 0 ? 100 + trial % 101 : 1 + trial % 30;
    const double sigma = std::pow(10.0, trial % 7 - 3);
    const double radius = std::pow(10.0, trial % 3 - 1);
    const Instance instance = random_instance(generator, d, 60, 1.0 + trial % 4, sigma);
    Cholesky cholesky(d);
    indefinite += cholesky.factor(instance.gram, 0.0) ? 0 : 1;
    for (const bool euclidean : {true, false}) {
      const std::shared_ptr<const ConstraintSet> set = euclidean ? make_l2_ball(d, radius) : make_l1_ball(d, radius);
      DefaultSolver solver(set, {.regularise = false});
      const auto theta = solver.solve(instance.quadratic(), NoiseLevel{sigma, sigma, sigma});
      EXPECT_TRUE(set->contains(theta));
      const double reached = instance.quadratic().value(theta);
      const double papers = instance.quadratic().value(paper_solution(instance, *set, sigma));
      EXPECT_LE(reached, papers + 1e-8 * std::abs(papers)) << set->name() << " d=" << d << " sigma=" << sigma;
    }
  }
  EXPECT_GT(indefinite, 300);
  EXPECT_LT(indefinite, 1200);
}

TEST(AcceleratedSolver, SolvesAThousandDimensionsInFewIterations) {
  std::mt19937_64 generator(85);
  const Instance instance = random_instance(generator, 1000, 300, 1.0, 1.0);
  const std::shared_ptr<const ConstraintSet> set = make_l1_ball(1000, 1.0);
  AcceleratedSolver solver(set);
  EXPECT_TRUE(set->contains(solver.solve(instance.quadratic())));
  EXPECT_LT(solver.report().iterations, 1000);
}

}  // namespace
}  // namespace rivulet::solve
