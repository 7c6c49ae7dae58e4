// That the noise a plan speaks of is the noise a solver's sums really carry.
#include <gtest/gtest.h>

#include <cmath>

#include "erm/erm_plan.h"
#include "kernel/history_kernel.h"

namespace rivulet::erm {
namespace {

// Sums over zero rows: what comes out is the noise.
double measured_noise(const PrivIncErm::Options& options, double mu_k, std::uint64_t parts, int draws) {
  const ErmPlan plan(options);
  kernel::HistoryKernel kernel(plan.gradients(), options.schema, options.loss, plan.lipschitz(),
                               kernel::DiscreteGaussianNoise::insecure(5));
  kernel.observe(std::vector<double>(options.schema.row_width(), 0.0), 0.0);
  kernel.close_step();
  kernel.begin_call(1);
  const std::vector<double> theta(plan.set().dimension(), 0.0);
  NoisyGradient sum;
  double squares = 0.0;
  double values = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    for (std::uint64_t part = 0; part < parts; ++part) {
      kernel.noisy_gradient(theta, mu_k, sum, part, parts);
      for (const Int128 value : sum.values) {
        squares += std::pow(static_cast<double>(value) * plan.gradients().lattice_unit(plan.lipschitz()), 2);
        values += 1.0;
      }
    }
  }
  return std::sqrt(squares / values);
}

// 20,000 draws: the sample deviation is within 3.5% except with probability 3e-12; a factor of 1.1 is off by far more.
TEST(ErmNoise, EverySumCarriesTheNoiseThatItsPriceCallsFor) {
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    for (const std::uint64_t parts : {1U, 4U}) {
      PrivIncErm::Options options;
      options.budget = {1.0, 1e-6};
      options.schema = Schema::unit_ball(5);
      options.constraint = "l2:1.5";
      options.loss = make_squared_loss();
      options.neighbours = neighbours;
      options.horizon = Horizon::known(1000);
      const ErmPlan plan(options);
      const double mu_k = plan.gradients().mu() / 100.0;
      // A row moves a sum by L, L = 2 (||K|| + 1) for the squared loss; replacing one by another, by 2 L.
      const double sensitivity = (neighbours == Neighbours::replace ? 2.0 : 1.0) * 2.0 * (1.5 + 1.0);
      EXPECT_NEAR(plan.noise(mu_k), sensitivity / mu_k, 1e-9 * sensitivity / mu_k);
      EXPECT_NEAR(measured_noise(options, mu_k, parts, 4000 / static_cast<int>(parts)), plan.noise(mu_k),
                  0.035 * plan.noise(mu_k));
    }
  }
}

TEST(ErmNoise, RowsOfAUnitCountTogether) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(2);
  options.loss = make_squared_loss();
  const double alone = ErmPlan(options).noise(0.01);
  options.unit = PrivacyUnit{"person", 7};
  EXPECT_NEAR(ErmPlan(options).noise(0.01), 7.0 * alone, 1e-9 * alone);
}

}  // namespace
}  // namespace rivulet::erm
