// What the attacker believes about the mechanism, against the mechanism.

#include <gtest/gtest.h>

#include <cmath>

#include "audit/neighbour_pair.h"
#include "audit/white_box.h"
#include "kernel/kernel.h"
#include "support/zero_noise.h"

namespace rivulet::audit {
namespace {

privacy::MechanismPlan plan_for(StrategyKind kind, Horizon horizon) {
  privacy::MechanismRequest request;
  request.strategy.kind = kind;
  request.strategy.horizon = horizon;
  request.dimension = 2;
  return privacy::MechanismPlan(request);
}

TEST(PublishedVectors, AreWhatTheKernelPublishesWithoutNoise) {
  constexpr std::uint64_t kSteps = 21;
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const privacy::MechanismPlan plan = plan_for(kind, Horizon::known(32));
    kernel::Kernel kernel(plan, Schema::unit_ball(2), std::make_unique<testing::ZeroNoise>());
    const std::vector<PublishedVector> expected = published_vectors(plan.strategy(), kSteps);
    std::vector<std::vector<double>> steps;
    std::size_t v = 0;
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      const double angle = static_cast<double>(step);
      const AuditRow row{{0.9 * std::cos(angle), 0.9 * std::sin(angle)}, std::cos(3.0 * angle)};
      steps.push_back(contribution(row, plan.layout(), plan.limits().target_scale()));
      kernel.observe(row.x, row.y);
      NoisyStep out;
      kernel.close_step(out);
      for (const NoisyVector& vector : out.vectors) {
        ASSERT_LT(v, expected.size());
        EXPECT_EQ(expected[v].step, step);
        for (std::size_t i = 0; i < vector.values.size(); ++i) {
          double mean = 0.0;
          for (std::uint64_t s = 1; s <= step; ++s) mean += expected[v].coefficient(s) * steps[s - 1][i];
          // Rows are truncated to multiples of 2^-15.
          EXPECT_NEAR(static_cast<double>(vector.values[i]) * plan.lattice_unit(), mean, 2e-4 * kSteps);
        }
        ++v;
      }
    }
    EXPECT_EQ(v, expected.size());
  }
}

TEST(PublishedVectors, HaveTheColumnNormThePlanCountsOn) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const privacy::MechanismPlan plan = plan_for(kind, Horizon::known(16));
    double largest = 0.0;
    for (std::uint64_t step = 1; step <= 16; ++step) {
      double squares = 0.0;
      for (const PublishedVector& vector : published_vectors(plan.strategy(), 16)) {
        squares += std::pow(vector.coefficient(step) / vector.widening, 2);
      }
      largest = std::max(largest, std::sqrt(squares));
    }
    EXPECT_NEAR(largest / plan.strategy().norm(), 1.0, 1e-9) << to_string(kind);
  }
}

}  // namespace
}  // namespace rivulet::audit
