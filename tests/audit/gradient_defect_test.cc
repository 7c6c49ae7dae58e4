// The same for the kernel of PrivIncERM.
#include <gtest/gtest.h>

#include "audit/auditor.h"
#include "audit/broken_mechanisms.h"
#include "audit/white_box.h"

namespace rivulet::audit {
namespace {

using namespace audit_testing;

constexpr double kAlpha = 1e-8;

Configuration configuration_for(Neighbours neighbours, std::uint64_t parts = 1) {
  Configuration configuration;
  configuration.surface = Surface::gradients;
  configuration.promise.budget = {8.0, 1e-6};
  configuration.promise.neighbours = neighbours;
  configuration.promise.dimension = 3;
  configuration.steps = 4;
  configuration.parts = parts;
  configuration.adaptive = true;
  configuration.trials = 4000;
  return configuration;
}

Finding audited(const Configuration& configuration, const privacy::GradientPlan& real, const NoiseMaker& noise) {
  const privacy::GradientPlan plan(gradient_request(configuration));
  const auto experiment = make_gradient_experiment(configuration, plan, kernel_histories(real, noise));
  return *audit(configuration, *experiment, kAlpha);
}

Finding audited(const Configuration& configuration, const NoiseMaker& noise) {
  return audited(configuration, privacy::GradientPlan(gradient_request(configuration)), noise);
}

TEST(GradientAudit, FindsNothingWhereNothingWasPlantedAndIsTight) {
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    for (const std::uint64_t parts : {1U, 2U}) {
      const Finding finding = audited(configuration_for(neighbours, parts), secure_noise());
      EXPECT_FALSE(finding.violated()) << finding.measured.mu;
      EXPECT_GT(finding.gaussian_epsilon, 0.6 * 8.0);
    }
  }
}

TEST(GradientAudit, HalvedSigmaIsCaught) {
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    for (const std::uint64_t parts : {1U, 2U}) {
      const Finding finding = audited(configuration_for(neighbours, parts), broken_noise<ScaledNoise>(0.5));
      EXPECT_GT(finding.measured.mu, finding.claimed_mu);
    }
  }
}

// Sensitivity 1 where opposite labels move a sum by 2.
TEST(GradientAudit, SensitivityTooSmallIsCaught) {
  const privacy::GradientPlan too_small(gradient_request(configuration_for(Neighbours::zero_out)));
  const Finding finding = audited(configuration_for(Neighbours::replace), too_small, secure_noise());
  EXPECT_GT(finding.measured.mu, finding.claimed_mu);
}

TEST(GradientAudit, AFixedSeedIsCaught) {
  const Finding finding = audited(configuration_for(Neighbours::replace), SameDraws::every_time());
  EXPECT_GT(finding.measured.mu, finding.claimed_mu);
}

}  // namespace
}  // namespace rivulet::audit
