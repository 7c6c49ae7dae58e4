#include "privacy/mechanism_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "privacy/calibration.h"
#include "privacy/paper_profile.h"
#include "rivulet/error.h"
#include "strategy/tree.h"

namespace rivulet::privacy {
namespace {

MechanismRequest request(StrategyKind kind, Horizon horizon, Profile profile = Profile::tight) {
  MechanismRequest result;
  result.budget = {1.0, 1e-6};
  result.dimension = 10;
  result.profile = profile;
  result.strategy.kind = kind;
  result.strategy.horizon = horizon;
  if (profile == Profile::paper) result.strategy.tree_decoding = TreeDecoding::paper;
  return result;
}

TEST(MechanismPlan, NoiseNeverFallsBelowWhatTheBudgetDemands) {
  for (StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      for (double epsilon : {0.01, 0.1, 1.0, 8.0}) {
        for (std::size_t dimension : {std::size_t{1}, std::size_t{10}, std::size_t{300}}) {
          for (bool known : {true, false}) {
            if (kind == StrategyKind::tree && !known) continue;
            const double steps = known ? 5000.0 : 0x1p40;
            MechanismRequest wanted = request(kind, known ? Horizon::known(5000) : Horizon::unbounded());
            wanted.neighbours = neighbours;
            wanted.budget.epsilon = epsilon;
            wanted.dimension = dimension;
            const MechanismPlan plan(wanted);
            // An independent recomputation: sensitivity in lattice units, largest column norm, rounding, exact delta.
            const double order = static_cast<double>(dimension + 1);
            const double factor = neighbours == Neighbours::replace ? std::sqrt(2.0) : 1.0;
            const double lattice =
                factor * static_cast<double>(plan.limits().norm_squared()) * std::exp2(plan.noise_bits());
            double moved = plan.strategy().norm() * lattice;
            if (kind == StrategyKind::blt) moved += plan.strategy().rounding_width() * order * std::sqrt(steps);
            const double mu = moved / plan.sigmas().gram_diagonal;
            EXPECT_LE(gaussian_delta(mu, epsilon - plan.charge().epsilon) + plan.charge().delta, 1e-6 * (1 + 1e-12));
            EXPECT_LE(mu, plan.mu() * (1.0 + 1e-12));
            // Entries above the diagonal count twice in the Frobenius norm: half the variance keeps the noise
            // isotropic.
            EXPECT_GE(plan.sigmas().gram_offdiagonal * std::sqrt(2.0), plan.sigmas().gram_diagonal * (1 - 1e-12));
            EXPECT_GE(plan.sigmas().cross * std::sqrt(2.0), plan.sigmas().gram_diagonal * (1 - 1e-12));
            EXPECT_GE(plan.sigmas().target_square, plan.sigmas().gram_diagonal * (1 - 1e-12));
            EXPECT_GE(plan.sigmas().gram_offdiagonal, kSmallestSigma);
            // The charge covers every coordinate of every vector: the smallest bound that could carry the tails is
            // sqrt(2 ln(draws / delta)).
            const double draws =
                steps * (kind == StrategyKind::blt ? 1.0 : 2.0) * static_cast<double>(plan.layout().size());
            const double least_bound = std::sqrt(2.0 * std::log(draws / 1e-6));
            EXPECT_GE(plan.charge().epsilon,
                      2.0 * draws * least_bound * least_bound / 24.0 / std::pow(plan.sigmas().gram_offdiagonal, 2));
          }
        }
      }
    }
  }
}

TEST(MechanismPlan, ChargesAreNegligibleInTheOrdinaryRange) {
  for (std::size_t dimension : {std::size_t{1}, std::size_t{10}, std::size_t{100}, std::size_t{1000}}) {
    MechanismRequest wanted = request(StrategyKind::blt, Horizon::unbounded());
    wanted.dimension = dimension;
    const MechanismPlan plan(wanted);
    EXPECT_LE(plan.charge().epsilon, 1e-9);
    EXPECT_LE(plan.charge().delta, 1e-14);
    EXPECT_LE(plan.rounding_share(), 1e-6);
    EXPECT_EQ(plan.last_step(), strategy::kStepCap);
    EXPECT_NEAR(1.0 / plan.mu() / 4.224679, 1.0, 1e-6);
  }
}

TEST(MechanismPlan, StatedNoiseIsSensitivityTimesNormsOverMu) {
  const MechanismPlan plan(request(StrategyKind::blt, Horizon::known(100000)));
  const double expected =
      plan.l2_sensitivity() * plan.strategy().norm() * plan.strategy().decoder_norm(777) / plan.mu();
  const NoiseLevel noise = plan.noise_at(777);
  EXPECT_NEAR(noise.gram_diagonal / expected, 1.0, 1e-6);
  EXPECT_NEAR(noise.gram_offdiagonal * std::sqrt(2.0) / expected, 1.0, 1e-6);
  EXPECT_NEAR(noise.cross * std::sqrt(2.0) * plan.limits().target_scale() / expected, 1.0, 1e-6);
}

TEST(MechanismPlan, RowsPerStepDoNotChangeTheNoise) {
  MechanismRequest wanted = request(StrategyKind::blt, Horizon::known(1000));
  const MechanismPlan one(wanted);
  wanted.rows_per_step = 100000;
  const MechanismPlan many(wanted);
  EXPECT_DOUBLE_EQ(one.sigmas().gram_diagonal, many.sigmas().gram_diagonal);
}

TEST(MechanismPlan, AStreamOfHugeStepsIsCappedSoThatNoIntegerOverflows) {
  MechanismRequest wanted = request(StrategyKind::blt, Horizon::unbounded());
  for (const unsigned log_rows : {30U, 40U}) {
    wanted.rows_per_step = std::uint64_t{1} << log_rows;
    const MechanismPlan plan(wanted);
    const double rows = static_cast<double>(plan.last_step()) * static_cast<double>(wanted.rows_per_step);
    EXPECT_LT(std::log2(rows) + 2 * plan.limits().bits + 1 + plan.noise_bits() + 24, 126.0);
    EXPECT_GE(plan.last_step(), 1000U);
  }
  wanted.rows_per_step *= 2;
  EXPECT_THROW(MechanismPlan{wanted}, RequestError);
}

TEST(PaperProfile, HasThePapersNoiseAndTheAccountantConfirmsIt) {
  const std::uint64_t steps = 131072;
  const MechanismPlan plan(request(StrategyKind::tree, Horizon::known(steps), Profile::paper));
  // sqrt(2 log2(T)^2 Delta_2^2 ln(2/delta') / epsilon'^2) with epsilon' = 1/2, delta' = 5e-7, Delta_2 = 2.
  const double node = std::sqrt(2.0 * 17 * 17 * 4 * std::log(2 / 5e-7)) / 0.5;
  EXPECT_NEAR(plan.sigmas().gram_diagonal * plan.lattice_unit() / node, 1.0, 1e-12);
  EXPECT_NEAR(plan.sigmas().cross * plan.lattice_unit() / node, 1.0, 1e-12);
  EXPECT_EQ(plan.limits().target_scale(), 1.0);
  EXPECT_FALSE(plan.layout().has_target_square);
  EXPECT_LE(gaussian_delta(plan.mu(), 1.0), 1e-6);
  // A row enters 18 nodes; the pair of sums moves by at most sqrt(4.5).
  EXPECT_NEAR(plan.mu() / (std::sqrt(18.0) * std::sqrt(4.5) / node), 1.0, 1e-12);
}

TEST(PaperProfile, IsRefusedWhereItsConstantsDoNotHoldAndSaysWhy) {
  const auto message = [](MechanismRequest wanted) -> std::string {
    try {
      MechanismPlan plan(wanted);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "";
  };
  MechanismRequest wanted = request(StrategyKind::tree, Horizon::known(1000), Profile::paper);
  wanted.budget.epsilon = 1.01;
  EXPECT_NE(message(wanted).find("epsilon <= 1"), std::string::npos);
  for (std::uint64_t steps = 1; steps <= 3; ++steps) {
    EXPECT_NE(message(request(StrategyKind::tree, Horizon::known(steps), Profile::paper)).find("log2"),
              std::string::npos);
  }
  EXPECT_NE(message(request(StrategyKind::blt, Horizon::known(1000), Profile::paper)).find("tree"), std::string::npos);
  EXPECT_EQ(message(request(StrategyKind::tree, Horizon::known(4), Profile::paper)), "");
}

TEST(PaperProfile, AtTwoStepsTheConstantsWouldIndeedBreakThePromise) {
  // One TreeMech call at T = 2 under its own budget: two nodes, sensitivity 2, against the sigma the formula gives.
  const Budget budget{1.0, 1e-6};
  const double mu = std::sqrt(2.0) * 2.0 / paper_node_stddev({2.0 * budget.epsilon, 2.0 * budget.delta}, 2);
  EXPECT_GT(gaussian_delta(mu, budget.epsilon), budget.delta);
}

TEST(MechanismPlan, ExtremeBudgetsAreEitherChargedInFullOrRefused) {
  for (double epsilon : {1e-13, 1e-8, 1e-3, 50.0, 700.0, 1e6, 1e12}) {
    for (double delta : {1e-300, 1e-14, 1e-6, 0.5, 0.99}) {
      for (StrategyKind kind : {StrategyKind::blt, StrategyKind::tree}) {
        MechanismRequest wanted = request(kind, Horizon::known(4));
        wanted.budget = {epsilon, delta};
        try {
          const MechanismPlan plan(wanted);
          EXPECT_LE(plan.charge().delta, 1e-3 * delta);
          EXPECT_LE(plan.charge().epsilon, 1e-9 * epsilon);
          EXPECT_LT(plan.charge().bound * plan.sigmas().gram_diagonal, 0x1p62);
          EXPECT_LE(gaussian_delta(plan.mu(), epsilon - plan.charge().epsilon) + plan.charge().delta,
                    delta * (1 + 1e-9));
        } catch (const RequestError& error) {
          EXPECT_EQ(error.field(), "epsilon") << epsilon << " " << delta;
        }
      }
    }
  }
}

TEST(MechanismPlan, RefusesImpossibleRequests) {
  MechanismRequest wanted = request(StrategyKind::blt, Horizon::unbounded());
  wanted.dimension = 0;
  EXPECT_THROW(MechanismPlan{wanted}, RequestError);
  wanted = request(StrategyKind::blt, Horizon::unbounded());
  wanted.rows_per_step = 0;
  EXPECT_THROW(MechanismPlan{wanted}, RequestError);
  wanted = request(StrategyKind::blt, Horizon::unbounded());
  wanted.budget.epsilon = -1;
  EXPECT_THROW(MechanismPlan{wanted}, RequestError);
}

}  // namespace
}  // namespace rivulet::privacy
