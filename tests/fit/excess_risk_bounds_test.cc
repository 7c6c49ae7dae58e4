#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fit/excess_risk.h"

namespace rivulet::fit {
namespace {

constexpr NoiseLevel kNoise{3.0, 2.0, 5.0};

TEST(ExcessRisk, TheGradientAccuracyIsItsFormula) {
  const double beta = 4.0 * std::exp(-2.0);  // t = 2
  EXPECT_NEAR(gradient_accuracy(kNoise, 8.0, 10.0, beta),
              2.0 * (10.0 * 3.0 * (4.0 + 2.0) + 5.0 * (std::sqrt(8.0) + 2.0)), 1e-9);
}

TEST(ExcessRisk, TheBoundOfTheFastSolverIsItsFormula) {
  const double beta = 4.0 * std::exp(-2.0);
  const auto ball = make_l2_ball(9, 10.0);
  const double width = ball->gaussian_width();
  EXPECT_NEAR(fast_solver_bound(kNoise, *ball, 7.0, beta),
              2.0 * (3.0 * 10.0 * (std::sqrt(2.0) * width + 20.0) + 2.0 * 5.0 * (width + 20.0)) + 700.0, 1e-9);
}

TEST(ExcessRisk, EveryBoundGrowsWithEverythingThatMakesTheProblemHarder) {
  struct Setting {
    double gram = 2.0, cross = 3.0, dimension = 8.0, radius = 1.5, ridge = 1.0,
           confidence = 20.0;  // confidence = 1/beta
  };
  const auto noise = [](const Setting& s) { return NoiseLevel{s.gram, s.gram / std::sqrt(2.0), s.cross}; };
  const auto ball = [](const Setting& s) { return make_l2_ball(static_cast<std::size_t>(s.dimension), s.radius); };
  const std::function<double(const Setting&)> bounds[] = {
      [&](const Setting& s) { return gradient_accuracy(noise(s), s.dimension, s.radius, 1.0 / s.confidence); },
      [&](const Setting& s) { return fast_solver_bound(noise(s), *ball(s), s.ridge, 1.0 / s.confidence); },
      [&](const Setting& s) { return noisy_proj_grad_bound(noise(s), *ball(s), 1.0 / s.confidence); },
  };
  for (const auto& bound : bounds) {
    for (double Setting::*member :
         {&Setting::gram, &Setting::cross, &Setting::dimension, &Setting::radius, &Setting::confidence}) {
      Setting setting;
      for (int doubling = 0; doubling < 5; ++doubling) {
        const double before = bound(setting);
        setting.*member *= 2.0;
        EXPECT_GT(bound(setting), before);
      }
    }
  }
  Setting setting;
  setting.ridge = 2.0;
  EXPECT_GT(bounds[1](setting), bounds[1](Setting{}));
  EXPECT_LT(fast_solver_bound(kNoise, *ball(setting), 0.0, 1.0), fast_solver_bound(kNoise, *ball(setting), 0.0, 0.9))
      << "beta 1 stands for the expectation";
}

TEST(ExcessRisk, WithoutNoiseOnlyTheRidgeCosts) {
  const auto ball = make_l2_ball(4, 3.0);
  EXPECT_EQ(fast_solver_bound(NoiseLevel{}, *ball, 2.0, 0.05), 18.0);
  EXPECT_EQ(noisy_proj_grad_bound(NoiseLevel{}, *ball, 0.05), 0.0);
}

TEST(ExcessRisk, TheFastSolversBoundIsBelowThePapers) {
  for (const std::size_t d : {1, 5, 100}) {
    for (const double radius : {0.1, 1.0, 10.0}) {
      for (const double beta : {1.0, 0.05, 1e-6}) {
        for (const auto& set : {make_l2_ball(d, radius), make_l1_ball(d, radius)}) {
          EXPECT_LT(fast_solver_bound(kNoise, *set, 0.0, beta), noisy_proj_grad_bound(kNoise, *set, beta))
              << set->name();
        }
      }
    }
  }
}

TEST(ExcessRisk, TheGeometryOfTheL1BallBeatsTheL2Balls) {
  EXPECT_LT(fast_solver_bound(kNoise, *make_l1_ball(1000, 1.0), 0.0, 0.05),
            0.3 * fast_solver_bound(kNoise, *make_l2_ball(1000, 1.0), 0.0, 0.05));
}

}  // namespace
}  // namespace rivulet::fit
