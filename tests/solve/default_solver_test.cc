#include "solve/default_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rivulet/error.h"
#include "solve/instances.h"

namespace rivulet::solve {
namespace {

std::vector<std::shared_ptr<const ConstraintSet>> sets(std::size_t dimension, double radius) {
  return {make_l2_ball(dimension, radius), make_l1_ball(dimension, radius)};
}

TEST(DefaultSolver, StaysInsideTheSetWhateverTheNoise) {
  std::mt19937_64 generator(91);
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t d = 1 + trial % 20;
    const double sigma = std::pow(10.0, trial % 9 - 4);
    const Instance instance = random_instance(generator, d, 1 + trial % 50, 3.0, sigma);
    for (const auto& set : sets(d, std::pow(10.0, trial % 4 - 2))) {
      DefaultSolver solver(set);
      EXPECT_TRUE(set->contains(solver.solve(instance.quadratic(), NoiseLevel{sigma, sigma / std::sqrt(2.0), sigma})));
    }
  }
}

TEST(DefaultSolver, IsUnmovedByTheUnitsOfTheObjective) {
  // Multiplying Q, q and the noise by one factor changes nothing; extreme factors take the rescaled path.
  std::mt19937_64 generator(93);
  const Instance instance = random_instance(generator, 5, 100, 2.0, 1.0);
  for (const auto& set : sets(5, 0.8)) {
    DefaultSolver reference(set);
    const auto at_one = reference.solve(instance.quadratic(), NoiseLevel{1.0, 0.7, 1.0});
    const std::vector<double> expected(at_one.begin(), at_one.end());
    for (const double factor : {1e-290, 1e-120, 1e-10, 1e10, 1e120, 1e290}) {
      Instance scaled = instance;
      for (double& entry : scaled.gram) entry *= factor;
      for (double& entry : scaled.cross) entry *= factor;
      DefaultSolver solver(set);
      const auto theta = solver.solve(scaled.quadratic(), NoiseLevel{factor, 0.7 * factor, factor});
      for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(theta[i], expected[i], 1e-5) << set->name() << " " << factor;
    }
  }
}

TEST(DefaultSolver, SurvivesMagnitudesAtTheEndsOfTheRange) {
  const std::vector<double> sizes = {0.0, 5e-324, 1e-300, 1e-150, 1.0, 1e150, 1e300, 1.7e308};
  for (const double gram : sizes) {
    for (const double cross : sizes) {
      for (const double radius : {5e-324, 1e-200, 1.0, 1e200, 1.7e308}) {
        for (const double sigma : {0.0, 1e-300, 1.0, 1e300}) {
          const Instance instance{2, {gram, -gram / 2, -gram / 2, -gram}, {cross, -cross}};
          for (const auto& set : sets(2, radius)) {
            DefaultSolver solver(set, {.ridge = std::min(sigma, 1e150)});
            const auto theta = solver.solve(instance.quadratic(), NoiseLevel{sigma, sigma, sigma});
            EXPECT_TRUE(set->contains(theta)) << gram << " " << cross << " " << set->name() << " " << sigma;
          }
        }
      }
    }
  }
}

TEST(DefaultSolver, RefusesEntriesThatAreNotFiniteAndSizesThatDoNotMatch) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& set : sets(2, 1.0)) {
    DefaultSolver solver(set);
    const std::vector<double> cross = {1.0, 2.0};
    for (const double bad : {infinity, -infinity, nan}) {
      for (std::size_t position = 0; position < 4; ++position) {
        std::vector<double> gram = {1.0, 0.0, 0.0, 1.0};
        gram[position] = bad;
        EXPECT_THROW(solver.solve({2, gram, cross}, NoiseLevel{}), Error);
      }
      const std::vector<double> gram = {1.0, 0.0, 0.0, 1.0};
      EXPECT_THROW(solver.solve({2, gram, std::vector<double>{1.0, bad}}, NoiseLevel{}), Error);
      EXPECT_THROW(solver.solve({2, gram, cross}, NoiseLevel{bad, 0.0, 0.0}), Error);
      EXPECT_THROW(solver.solve({2, gram, cross}, NoiseLevel{0.0, 0.0, bad}), Error);
    }
    const std::vector<double> gram = {1.0, 0.0, 0.0, 1.0};
    EXPECT_THROW(solver.solve({2, gram, cross}, NoiseLevel{-1.0, 0.0, 0.0}), Error);
    EXPECT_THROW(solver.solve({1, std::vector<double>{1.0}, std::vector<double>{1.0}}, NoiseLevel{}), Error);
    // And still works afterwards.
    EXPECT_NEAR(solver.solve({2, gram, std::vector<double>{0.1, 0.2}}, NoiseLevel{})[1], 0.2, 1e-9);
  }
}

TEST(DefaultSolver, NeverRegularisesASetThatPrefersItsWidth) {
  std::mt19937_64 generator(94);
  const Instance instance = random_instance(generator, 12, 200, 2.0, 5.0);
  const std::shared_ptr<const ConstraintSet> set = make_l1_ball(12, 1.0);
  DefaultSolver on(set);
  DefaultSolver off(set, {.regularise = false});
  const auto a = on.solve(instance.quadratic(), NoiseLevel{5.0, 3.5, 5.0});
  const auto b = off.solve(instance.quadratic(), NoiseLevel{5.0, 3.5, 5.0});
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(DefaultSolver, ARidgeIsANumberAddedToTheDiagonal) {
  std::mt19937_64 generator(95);
  for (const double factor : {1.0, 1e-200, 1e200}) {
    Instance instance = random_instance(generator, 6, 80, 2.0, 1.0);
    for (double& entry : instance.gram) entry *= factor;
    for (double& entry : instance.cross) entry *= factor;
    Instance raised = instance;
    for (std::size_t i = 0; i < 6; ++i) raised.gram[i * 7] += 30.0 * factor;
    for (const auto& set : sets(6, 3.0)) {
      DefaultSolver with(set, {.regularise = false, .ridge = 30.0 * factor});
      DefaultSolver by_hand(set, {.regularise = false});
      DefaultSolver without(set, {.regularise = false});
      const auto theta = with.solve(instance.quadratic(), NoiseLevel{});
      const auto expected = by_hand.solve(raised.quadratic(), NoiseLevel{});
      const auto plain = without.solve(instance.quadratic(), NoiseLevel{});
      for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(theta[i], expected[i], 1e-5) << set->name() << " " << factor;
      EXPECT_GT(std::abs(plain[0] - theta[0]), 1e-2) << "a ridge of this size shows";
    }
  }
}

TEST(DefaultSolver, RefusesARidgeThatIsNegativeOrNotFinite) {
  for (const double ridge : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(DefaultSolver(make_l2_ball(2, 1.0), {.regularise = false, .ridge = ridge}), RequestError) << ridge;
  }
}

}  // namespace
}  // namespace rivulet::solve
