#include "privacy/erm_minimiser.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <random>

#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

GradientPlan plan_for(Neighbours neighbours = Neighbours::replace, std::uint64_t rows_per_unit = 1) {
  GradientRequest request;
  request.neighbours = neighbours;
  request.dimension = 4;
  request.units = rows_per_unit > 1;
  request.rows_per_unit = rows_per_unit;
  return GradientPlan(request);
}

MinimiserProblem random_problem(std::mt19937_64& random) {
  std::uniform_real_distribution<double> magnitude(-6.0, 6.0);
  const auto number = [&] { return std::exp(magnitude(random)); };
  return {.dimension = 1 + random() % 50,
          .rows = std::ceil(std::exp(2.5 * std::abs(magnitude(random)))),
          .radius = number(),
          .lipschitz = number(),
          .smoothness = random() % 5 == 0 ? 0.0 : number(),
          .ridge = number() * 1e-2};
}

// f L / (n nu) (1 - a^T) in 400 bits.
double exact_part(const MinimiserProblem& p, double f, std::uint64_t iterations) {
  mpfr_t a, b;
  mpfr_inits2(400, a, b, nullptr);
  mpfr_set_d(a, p.ridge, MPFR_RNDN);
  mpfr_mul_ui(a, a, 2, MPFR_RNDN);
  mpfr_add_d(a, a, p.smoothness, MPFR_RNDN);
  mpfr_d_div(a, p.smoothness, a, MPFR_RNDN);
  mpfr_pow_ui(a, a, iterations, MPFR_RNDN);
  mpfr_ui_sub(a, 1, a, MPFR_RNDN);
  mpfr_mul_d(a, a, f, MPFR_RNDN);
  mpfr_mul_d(a, a, p.lipschitz, MPFR_RNDN);
  mpfr_set_d(b, p.rows, MPFR_RNDN);
  mpfr_mul_d(b, b, p.ridge, MPFR_RNDN);
  mpfr_div(a, a, b, MPFR_RNDN);
  const double result = mpfr_get_d(a, MPFR_RNDU);
  mpfr_clears(a, b, nullptr);
  return result;
}

TEST(ErmMinimiser, TheSensitivityIsNeverBelowItsFormulaAndHardlyAbove) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const MinimiserProblem problem = random_problem(random);
    const bool replace = random() % 2 == 0;
    const std::uint64_t unit = 1 + random() % 3;
    const GradientPlan plan = plan_for(replace ? Neighbours::replace : Neighbours::zero_out, unit);
    const double f = (replace ? 2.0 : 1.0) * static_cast<double>(unit);
    for (const std::uint64_t iterations : {std::uint64_t{1}, std::uint64_t{2}, 1 + random() % 1000000}) {
      const double exact = exact_part(problem, f, iterations) + 2.0 * problem.rounding();
      const double sensitivity = problem.sensitivity(plan, iterations);
      EXPECT_GE(sensitivity, exact);
      EXPECT_LE(sensitivity, exact * (1.0 + 1e-5));
      // All of it, and both truncations, within the lattice sensitivity.
      const double lattice = problem.lattice_unit(plan, iterations);
      const double units = sensitivity / lattice + 2.0 * std::sqrt(static_cast<double>(problem.dimension));
      EXPECT_LE(units, plan.lattice_sensitivity());
      EXPECT_GE(units, plan.lattice_sensitivity() * (1.0 - 1e-6) - 8.0 * 0x1p-52 * problem.radius / lattice);
    }
  }
}

TEST(ErmMinimiser, RoundingIsASmallPartOfTheSensitivityForAnyNumberOfRowsThatCanBeKept) {
  const auto loss = make_logistic_loss();
  const auto problem = MinimiserProblem::of(*loss, 100, 4294967296.0, 5.0, 0.01);
  EXPECT_LT(2.0 * problem.rounding(), 1e-3 * problem.sensitivity(plan_for(), 4096));
  EXPECT_GT(problem.rounding(), std::ldexp(problem.lipschitz, -kMinimiserBits) / problem.ridge);
}

TEST(ErmMinimiser, TheStepsAreAsManyAsNoiseLetsOneSee) {
  const auto loss = make_squared_loss();
  const auto problem = MinimiserProblem::of(*loss, 4, 10000.0, 1.0, 0.1);
  for (const double mu : {1e-3, 0.1, 1.0}) {
    const std::uint64_t steps = problem.iterations(plan_for(), mu, 1000000);
    const double noise = problem.sensitivity(plan_for(), 1000000) / mu;
    EXPECT_LE(std::pow(problem.keep(), static_cast<double>(steps)) * 1.0, noise / 63.0);
    if (steps > 1) {
      EXPECT_GE(std::pow(problem.keep(), static_cast<double>(steps) - 1.0) * 1.0, noise / 65.0);
    }
  }
  EXPECT_EQ(problem.iterations(plan_for(), 1e9, 50), 50U);
  EXPECT_EQ(problem.iterations(plan_for(), 1e-9, 50), 1U);
}

}  // namespace
}  // namespace rivulet::privacy
