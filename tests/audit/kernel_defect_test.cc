// The audit has power: every planted defect is found, and the same audit finds nothing where nothing was planted.
//
// An audit of a sound mechanism fails with probability at most 1e-8 (its alpha), all of this file with less than 1e-6.
#include <gtest/gtest.h>

#include "audit/auditor.h"
#include "audit/broken_mechanisms.h"
#include "audit/white_box.h"

namespace rivulet::audit {
namespace {

using namespace audit_testing;

constexpr double kAlpha = 1e-8;
constexpr StrategyKind kStrategies[] = {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid};

Configuration configuration_for(StrategyKind strategy, std::size_t dimension = 2) {
  Configuration configuration;
  configuration.promise.budget = {8.0, 1e-6};
  configuration.promise.strategy.kind = strategy;
  configuration.promise.strategy.horizon = Horizon::known(8);
  configuration.promise.dimension = dimension;
  configuration.steps = 8;
  configuration.trials = 4000;
  return configuration;
}

Finding audited(const Configuration& configuration, const StreamSource& source) {
  const privacy::MechanismPlan plan(configuration.promise);
  const auto experiment = make_kernel_experiment(configuration, plan, source);
  return *audit(configuration, *experiment, kAlpha);
}

Finding audited_with(const Configuration& configuration, const NoiseMaker& noise) {
  return audited(configuration, kernel_streams(privacy::MechanismPlan(configuration.promise), noise));
}

// By what was measured; not because something was counted.
::testing::AssertionResult is_caught(const Finding& finding) {
  ::testing::Test::RecordProperty("claimed_mu", std::to_string(finding.claimed_mu));
  ::testing::Test::RecordProperty("mu_" + std::string(to_string(finding.configuration.promise.strategy.kind)),
                                  std::to_string(finding.measured.mu) + ", " + finding.measured.mu_attack);
  const bool caught = finding.measured.mu > finding.claimed_mu ||
                      finding.measured.epsilon > finding.configuration.promise.budget.epsilon;
  return (caught && finding.violated() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << to_string(finding.configuration.promise.strategy.kind) << ": mu at least " << finding.measured.mu << " by "
         << finding.measured.mu_attack << ", claimed " << finding.claimed_mu;
}

::testing::AssertionResult is_sound(const Finding& finding) {
  return (finding.violated() ? ::testing::AssertionFailure() : ::testing::AssertionSuccess())
         << to_string(finding.configuration.promise.strategy.kind) << ": mu at least " << finding.measured.mu << " by "
         << finding.measured.mu_attack << ", claimed " << finding.claimed_mu;
}

TEST(PlantedDefect, NoneIsFoundWhereThereIsNone) {
  for (const StrategyKind strategy : kStrategies) {
    for (const PairKind pair : {PairKind::worst, PairKind::outside}) {
      Configuration configuration = configuration_for(strategy);
      configuration.pair = pair;
      const Finding finding = audited_with(configuration, secure_noise());
      EXPECT_TRUE(is_sound(finding));
      EXPECT_GT(finding.gaussian_epsilon, 0.6 * configuration.promise.budget.epsilon);
    }
  }
}

// The bare parts are a sound mechanism, too: what the defects below change is what is caught.
TEST(PlantedDefect, NoneIsFoundInTheBareParts) {
  for (const StrategyKind strategy : kStrategies) {
    Configuration configuration = configuration_for(strategy);
    configuration.pair = PairKind::outside;
    const privacy::MechanismPlan plan(configuration.promise);
    EXPECT_TRUE(is_sound(audited(configuration, BareStream::source(plan, 0, plan.last_step()))));
  }
}

TEST(PlantedDefect, HalvedSigmaIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    EXPECT_TRUE(is_caught(audited_with(configuration_for(strategy), broken_noise<ScaledNoise>(0.5))));
  }
}

TEST(PlantedDefect, HalvedSigmaIsCaughtAtASmallEpsilonAndInManyDimensions) {
  Configuration small = configuration_for(StrategyKind::blt);
  small.promise.budget.epsilon = 1.0;
  small.trials = 15000;
  EXPECT_TRUE(is_caught(audited_with(small, broken_noise<ScaledNoise>(0.5))));
  Configuration wide = configuration_for(StrategyKind::tree, 20);
  wide.trials = 2000;
  EXPECT_TRUE(is_caught(audited_with(wide, broken_noise<ScaledNoise>(0.5))));
}

TEST(PlantedDefect, SensitivityTooSmallByRootTwoIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    Configuration configuration = configuration_for(strategy);
    configuration.trials = 8000;
    privacy::MechanismRequest other = configuration.promise;
    other.neighbours = Neighbours::zero_out;
    const privacy::MechanismPlan plan(other);
    ASSERT_EQ(plan.lattice_unit(), privacy::MechanismPlan(configuration.promise).lattice_unit());
    EXPECT_TRUE(is_caught(audited(configuration, kernel_streams(plan, secure_noise()))));
  }
}

TEST(PlantedDefect, ADrawUsedInTwoStepsIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    Configuration configuration = configuration_for(strategy);
    configuration.place = Place::middle;
    configuration.steps = 6;  // the hybrid's middle is then the first step of an epoch, and its next one has the draw
    EXPECT_TRUE(is_caught(audited_with(configuration, broken_noise<ReusedDraws>())));
  }
}

TEST(PlantedDefect, ADrawUsedInTwoCoordinatesIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    EXPECT_TRUE(is_caught(audited_with(configuration_for(strategy), broken_noise<SharedDraws>())));
  }
}

TEST(PlantedDefect, AFixedSeedIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    Configuration configuration = configuration_for(strategy);
    configuration.trials = 1000;
    EXPECT_TRUE(is_caught(audited_with(configuration, SameDraws::every_time())));
  }
}

TEST(PlantedDefect, AMissingClipIsCaught) {
  for (const StrategyKind strategy : kStrategies) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      Configuration configuration = configuration_for(strategy);
      configuration.promise.neighbours = neighbours;
      configuration.pair = PairKind::outside;
      const privacy::MechanismPlan plan(configuration.promise);
      EXPECT_TRUE(is_caught(audited(configuration, BareStream::source(plan, 1, plan.last_step()))));
    }
  }
}

TEST(PlantedDefect, ACoordinateWithoutNoiseIsCaughtWhicheverItIs) {
  for (const StrategyKind strategy : kStrategies) {
    for (const auto& [block, coordinate] :
         {std::pair(0U, 0U), std::pair(0U, 1U), std::pair(1U, 0U), std::pair(2U, 1U), std::pair(3U, 0U)}) {
      Configuration configuration = configuration_for(strategy);
      configuration.promise.neighbours = Neighbours::zero_out;  // moves every coordinate
      configuration.trials = 1000;
      EXPECT_TRUE(is_caught(audited_with(configuration, broken_noise<SkippedCoordinate>(block, coordinate))));
    }
  }
  Configuration wide = configuration_for(StrategyKind::blt, 20);
  wide.trials = 1000;
  EXPECT_TRUE(is_caught(audited_with(wide, broken_noise<SkippedCoordinate>(1U, 187U))));
}

TEST(PlantedDefect, StepsPastTheHorizonAreCaught) {
  for (const StrategyKind strategy : kStrategies) {
    Configuration configuration = configuration_for(strategy);
    configuration.trials = strategy == StrategyKind::tree ? 6000 : 500;
    const privacy::MechanismPlan plan(configuration.promise);
    const Finding finding = audited(configuration, BareStream::source(plan, 0, std::nullopt));
    EXPECT_EQ(finding.steps_past_the_last, 16U * 8U);
    EXPECT_TRUE(finding.violated());
    // In a tree every level more holds the row once more. The hybrid scheme's epochs stand for themselves, and a BLT
    // made for eight steps forgets.
    if (strategy == StrategyKind::tree) {
      EXPECT_TRUE(is_caught(finding));
    }
  }
}

TEST(PlantedDefect, AUnitsRowsPastTheLimitAreCaught) {
  Configuration configuration = configuration_for(StrategyKind::blt);
  configuration.promise.units = true;
  configuration.promise.rows_per_unit = 3;
  configuration.promise.rows_per_step = 6;
  const privacy::MechanismPlan plan(configuration.promise);
  EXPECT_TRUE(is_sound(audited_with(configuration, secure_noise())));
  privacy::MechanismRequest other = configuration.promise;
  other.rows_per_unit = 5;
  const privacy::MechanismPlan lenient(other);
  ASSERT_EQ(plan.lattice_unit(), lenient.lattice_unit());
  const double factor = plan.sigmas().gram_diagonal / lenient.sigmas().gram_diagonal;
  EXPECT_TRUE(is_caught(audited(configuration, kernel_streams(lenient, broken_noise<ScaledNoise>(factor)))));
}

TEST(PlantedDefect, IsCaughtByAnAdaptiveAdversaryToo) {
  for (const Place place : {Place::first, Place::chosen}) {
    Configuration configuration = configuration_for(StrategyKind::tree);
    configuration.adaptive = true;
    configuration.place = place;
    EXPECT_TRUE(is_sound(audited_with(configuration, secure_noise())));
    EXPECT_TRUE(is_caught(audited_with(configuration, broken_noise<ScaledNoise>(0.5))));
  }
}

TEST(KernelExperiment, RefusesStepsThePromiseDoesNotCover) {
  Configuration configuration = configuration_for(StrategyKind::blt);
  configuration.steps = 9;
  EXPECT_THROW(make_experiment(configuration, {}), RequestError);
}

}  // namespace
}  // namespace rivulet::audit
