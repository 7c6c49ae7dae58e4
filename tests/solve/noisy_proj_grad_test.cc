#include "solve/noisy_proj_grad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rivulet/error.h"
#include "solve/instances.h"
#include "solve/trust_region.h"

namespace rivulet::solve {
namespace {

double length(std::span<const double> v) {
  double sum = 0.0;
  for (const double entry : v) sum += entry * entry;
  return std::sqrt(sum);
}

TEST(NoisyProjGrad, MatchesATranscriptionByHandOnTheLine) {
  // f(x) = 2x^2 - 2*3x over [-1, 1], from 0: theta_{k+1} = clip(theta_k - eta (4 theta_k - 6)).
  const auto set = make_l2_ball(1, 1.0);
  NoisyProjGradParameters parameters;
  parameters.alpha = 1.0;
  parameters.lipschitz = 10.0;
  parameters.r = 4;
  parameters.eta = 1.0 / (std::sqrt(4.0) * 11.0);
  double theta = 0.0;
  double sum = 0.0;
  for (int k = 1; k <= 4; ++k) {
    sum += theta;
    theta = std::clamp(theta - parameters.eta * (4.0 * theta - 6.0), -1.0, 1.0);
  }
  const auto gradient = [](std::span<const double> at, std::span<double> out) { out[0] = 4.0 * at[0] - 6.0; };
  EXPECT_DOUBLE_EQ(noisy_proj_grad(*set, gradient, parameters)[0], sum / 4.0);

  parameters.r = 1;
  EXPECT_EQ(noisy_proj_grad(*set, gradient, parameters, std::vector<double>{0.5})[0], 0.5);
  EXPECT_THROW(noisy_proj_grad(*set, gradient, parameters, std::vector<double>{1.5}), RequestError);
}

TEST(NoisyProjGrad, TakesItsIterationsAndStepFromTheCorollary) {
  const auto parameters = NoisyProjGradParameters::from_corollary(2.0, 0.5, 4.6, 1000);
  EXPECT_EQ(parameters.r, 105);  // (1 + 9.2)^2 = 104.04
  EXPECT_FALSE(parameters.reached_limit);
  EXPECT_DOUBLE_EQ(parameters.eta, 2.0 / (std::sqrt(105.0) * 5.1));
  EXPECT_LE(parameters.value_bound(2.0), 2.0 * 0.5 * 2.0);
}

TEST(NoisyProjGrad, ClampsTheIterationsAndSaysSo) {
  const auto clamped = NoisyProjGradParameters::from_corollary(1.0, 1e-12, 1e12, 5000);
  EXPECT_EQ(clamped.r, 5000);
  EXPECT_TRUE(clamped.reached_limit);
  EXPECT_DOUBLE_EQ(clamped.eta, 1.0 / (std::sqrt(5000.0) * (1e12 + 1e-12)));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(NoisyProjGradParameters::from_corollary(1.0, 0.0, 1.0, 10), RequestError);
  EXPECT_THROW(NoisyProjGradParameters::from_corollary(1.0, 1.0, infinity, 10), RequestError);
  EXPECT_THROW(NoisyProjGradParameters::from_corollary(-1.0, 1.0, 1.0, 10), RequestError);
  EXPECT_THROW(NoisyProjGradParameters::from_corollary(1.0, 1.0, 1.0, 0), RequestError);
}

TEST(NoisyProjGrad, StaysBelowThePropositionsBoundUnderAdversarialGradientErrors) {
  std::mt19937_64 generator(51);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t d = 1 + trial % 8;
    const double radius = 0.5 + 0.25 * (trial % 5);
    const Instance instance = random_instance(generator, d, 50, 2.0, 0.0);
    const auto set = make_l2_ball(d, radius);
    const double alpha = 0.5 + trial % 3;
    double gram_norm = 0.0;
    for (const double entry : instance.gram) gram_norm += entry * entry;
    const double lipschitz = 2.0 * (std::sqrt(gram_norm) * radius + length(instance.cross));
    const auto parameters = NoisyProjGradParameters::from_corollary(radius, alpha, lipschitz, 20000);

    TrustRegion exact(d);
    const auto best = exact.solve(instance.quadratic(), 0.0, radius);
    const std::vector<double> optimum(best.begin(), best.end());
    // The error always pushes away from the optimum, as hard as it may.
    const auto gradient = [&](std::span<const double> theta, std::span<double> out) {
      instance.quadratic().gradient(theta, out);
      std::vector<double> away(d);
      for (std::size_t i = 0; i < d; ++i) away[i] = theta[i] - optimum[i];
      const double distance = std::max(length(away), 1e-300);
      for (std::size_t i = 0; i < d; ++i) out[i] -= alpha * away[i] / distance;
    };
    const auto output = noisy_proj_grad(*set, gradient, parameters);
    EXPECT_TRUE(set->contains(output));
    const double excess = instance.quadratic().value(output) - instance.quadratic().value(optimum);
    EXPECT_LE(excess, parameters.value_bound(radius) + 1e-9);
  }
}

}  // namespace
}  // namespace rivulet::solve
