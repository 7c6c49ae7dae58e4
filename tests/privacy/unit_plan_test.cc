// What a promise for units does to the plan.
#include <gtest/gtest.h>

#include <cmath>

#include "privacy/calibration.h"
#include "privacy/mechanism_plan.h"
#include "privacy/paper_profile.h"
#include "support/refusal.h"

namespace rivulet::privacy {
namespace {

MechanismRequest request_for(StrategyKind kind, std::uint64_t rows_per_unit) {
  MechanismRequest request;
  request.strategy.kind = kind;
  request.strategy.horizon = Horizon::known(1000);
  request.dimension = 4;
  request.units = true;
  request.rows_per_unit = rows_per_unit;
  return request;
}

TEST(UnitPlan, NoiseGrowsExactlyWithTheRowsThatCount) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      MechanismRequest wanted = request_for(kind, 1);
      wanted.neighbours = neighbours;
      const MechanismPlan one(wanted);
      for (const std::uint64_t rows : {2U, 3U, 10U, 1000U}) {
        wanted.rows_per_unit = rows;
        const MechanismPlan many(wanted);
        const double factor = static_cast<double>(rows);
        EXPECT_NEAR(many.l2_sensitivity() / one.l2_sensitivity() / factor, 1.0, 1e-15);
        // In natural units; trees are exact, the blt's rounding is a billionth.
        const double tolerance = kind == StrategyKind::blt ? 2e-8 : 1e-9;
        EXPECT_NEAR(many.noise_at(7).gram_diagonal / one.noise_at(7).gram_diagonal / factor, 1.0, tolerance);
        EXPECT_NEAR(many.noise_at(7).cross / one.noise_at(7).cross / factor, 1.0, tolerance);
        // And recomputed from nothing but the definition: k times one row's reach, times ||C||, over mu.
        const double reach = factor * (neighbours == Neighbours::replace ? std::sqrt(2.0) : 1.0) *
                             static_cast<double>(many.limits().norm_squared()) * std::exp2(many.noise_bits());
        const double mu = reach * many.strategy().norm() / many.sigmas().gram_diagonal;
        EXPECT_LE(gaussian_delta(mu, 1.0 - many.charge().epsilon) + many.charge().delta, 1e-6 * (1.0 + 1e-12));
        EXPECT_LE(mu, many.mu());
        EXPECT_GE(mu, many.mu() * (1.0 - 1e-7));
      }
    }
  }
}

TEST(UnitPlan, AUnitOfOneRowIsProtectedLikeARow) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    MechanismRequest wanted = request_for(kind, 1);
    const MechanismPlan unit(wanted);
    wanted.units = false;
    EXPECT_EQ(unit.sigmas().gram_diagonal, MechanismPlan(wanted).sigmas().gram_diagonal);
  }
}

TEST(UnitPlan, LimitsOutsideTheirRangeAreRefused) {
  using rivulet::testing::refusal;
  const auto asked = [](bool units, std::uint64_t rows) {
    return refusal([&] {
      MechanismRequest wanted = request_for(StrategyKind::blt, rows);
      wanted.units = units;
      MechanismPlan{wanted};
    });
  };
  EXPECT_EQ(asked(true, 1), "accepted");
  EXPECT_EQ(asked(true, 1 << 20), "accepted");
  EXPECT_EQ(asked(false, 1), "accepted");
  EXPECT_EQ(asked(true, 0), "max-rows-per-unit: 0 rows; accepted: 1 to 1048576");
  EXPECT_EQ(asked(true, (1 << 20) + 1), "max-rows-per-unit: 1048577 rows; accepted: 1 to 1048576");
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}}) {
    EXPECT_EQ(asked(false, rows),
              "max-rows-per-unit: given without a unit; accepted: together with the column that names it");
  }
}

TEST(UnitPlan, ThePapersConstantsAreTakenForUnitsExactlyAsFarAsTheAccountingCarriesThem) {
  // The noise is what the paper says whoever is protected; the rows of a unit eat up what it has to spare.
  for (const std::uint64_t steps : {4U, 1000U, 1000000U}) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      const Budget budget{1.0, 1e-6};
      const double levels = std::floor(std::log2(static_cast<double>(steps))) + 1.0;
      const double one_row = std::sqrt((neighbours == Neighbours::replace ? 4.5 : 2.0) * levels) /
                             (std::sqrt(8.0 * std::log(4.0 / 1e-6)) * std::log2(static_cast<double>(steps)) / 0.5);
      std::uint64_t accepted = 0;
      for (std::uint64_t rows = 1; rows <= 40; ++rows) {
        MechanismRequest wanted = request_for(StrategyKind::tree, rows);
        wanted.budget = budget;
        wanted.neighbours = neighbours;
        wanted.profile = Profile::paper;
        wanted.strategy.horizon = Horizon::known(steps);
        const double mu = static_cast<double>(rows) * one_row;
        const bool carries = gaussian_delta(mu, budget.epsilon) <= budget.delta * (1.0 - 1e-6);
        const std::string answer = rivulet::testing::refusal([&] {
          const MechanismPlan plan(wanted);
          EXPECT_NEAR(plan.mu() / mu, 1.0, 1e-12);
        });
        EXPECT_EQ(answer == "accepted", carries) << steps << " " << rows;
        if (carries) accepted = rows;
      }
      EXPECT_GE(accepted, 2U);
      EXPECT_LT(accepted, 40U);
    }
  }
}

}  // namespace
}  // namespace rivulet::privacy
