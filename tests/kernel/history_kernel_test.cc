#include "kernel/history_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "kernel/history_fixture.h"
#include "privacy/erm_schedule.h"
#include "rivulet/error.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(HistoryKernel, SumsTheGradientsOfTheLoss) {
  const std::shared_ptr<const Loss> loss = make_logistic_loss();
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, loss, 1.0);
  const std::vector<Row> rows = random_rows(500, 1);
  feed(kernel, rows);
  const std::vector<double> theta{0.5, -1.0, 2.0};
  NoisyGradient sum;
  kernel.noisy_gradient(theta, 0.01, sum);
  EXPECT_EQ(sum.rows, 500U);
  for (std::size_t j = 0; j < kDimension; ++j) {
    double expected = 0.0;
    for (const Row& row : rows) {
      const double p = row.x[0] * theta[0] + row.x[1] * theta[1] + row.x[2] * theta[2];
      expected += loss->derivative(p, row.y) * row.x[j];
    }
    EXPECT_NEAR(static_cast<double>(sum.values[j]) * plan.lattice_unit(1.0), expected, 500 * 2e-4);
  }
}

TEST(HistoryKernel, TakesRowsOfClosedStepsOnly) {
  privacy::GradientRequest request = request_for();
  request.rows_per_step = 3;
  const privacy::GradientPlan plan(request);
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  NoisyGradient before;
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, before);
  kernel.observe(std::vector<double>{1.0, 0.0, 0.0}, 1.0);
  NoisyGradient during;
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, during);
  EXPECT_EQ(before.values, during.values);
  EXPECT_EQ(during.rows, 0U);
  kernel.close_step();
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, during);
  EXPECT_EQ(during.rows, 1U);
  EXPECT_NE(before.values, during.values);
}

// A loss by somebody who wants a row to count for more.
class HostileLoss final : public Loss {
 public:
  [[nodiscard]] std::string name() const override { return "hostile"; }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double /*prediction*/, double /*y*/) const override { return 0.0; }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    const double answers[] = {1e300, -1e300, kInf, -kInf, kNan, 1e10, -70000.0, 5e-324};
    return answers[static_cast<std::size_t>(std::abs(1000.0 * prediction + 10.0 * y)) % std::size(answers)];
  }
  [[nodiscard]] double lipschitz(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
};

double distance(const NoisyGradient& a, const NoisyGradient& b) {
  double squared = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    squared += std::pow(static_cast<double>(a.values[i] - b.values[i]), 2);
  }
  return std::sqrt(squared);
}

TEST(HistoryKernel, NoRowAndNoLossMoveASumFurtherThanTheSensitivity) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  const privacy::GradientPlan replace(request_for(Neighbours::replace));
  const privacy::GradientPlan zero_out(request_for(Neighbours::zero_out));
  EXPECT_EQ(replace.lattice_sensitivity(), 2.0 * std::ldexp(1.0, 30));
  EXPECT_EQ(zero_out.lattice_sensitivity(), std::ldexp(1.0, 30));
  double furthest = 0.0;
  const std::vector<std::shared_ptr<const Loss>> losses{std::make_shared<HostileLoss>(), make_squared_loss(),
                                                        make_hinge_loss(), make_quantile_loss(0.9)};
  for (const auto& loss : losses) {
    for (int round = 0; round < 300; ++round) {
      const auto row = [&] { return std::vector<double>{uniform(random), uniform(random), uniform(random)}; };
      const std::vector<double> theta{1e3 * uniform(random), uniform(random), uniform(random)};
      NoisyGradient sums[3];
      const std::vector<double> first = row();
      const std::vector<double> other = row();
      for (int which = 0; which < 3; ++which) {
        HistoryKernel kernel = kernel_for(replace, loss, 1.0);
        feed(kernel, random_rows(5, 4));
        kernel.observe(which == 0 ? first : which == 1 ? other : std::vector<double>(3, kNan), which == 0 ? 1.0 : -1.0);
        kernel.close_step();
        kernel.noisy_gradient(theta, 0.01, sums[which]);
      }
      EXPECT_LE(distance(sums[0], sums[1]), replace.lattice_sensitivity());
      EXPECT_LE(distance(sums[0], sums[2]), zero_out.lattice_sensitivity());
      furthest = std::max(furthest, distance(sums[0], sums[1]));
    }
  }
  EXPECT_GT(furthest, 0.9 * replace.lattice_sensitivity());  // the bound is not idle
}

TEST(HistoryKernel, RefusesASumThatTheBudgetDoesNotPayForAndReleasesNothing) {
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  feed(kernel, random_rows(5, 5));
  const std::vector<double> theta(3, 0.0);
  NoisyGradient sum;
  const double mu_k = privacy::even_part(plan.mu(), 16);
  for (int i = 0; i < 16; ++i) kernel.noisy_gradient(theta, mu_k, sum);
  EXPECT_NEAR(kernel.spend().spent_mu(), plan.mu(), 1e-12);
  sum.values.clear();
  EXPECT_THROW(kernel.noisy_gradient(theta, 1e-3 * mu_k, sum), Error);
  EXPECT_TRUE(sum.values.empty());
  HistoryKernel fresh = kernel_for(plan, make_hinge_loss(), 1.0);
  EXPECT_THROW(fresh.noisy_gradient(theta, 1.001 * plan.mu(), sum), Error);
  EXPECT_THROW(fresh.noisy_gradient(theta, 0.0, sum), Error);
  EXPECT_THROW(fresh.noisy_gradient(theta, -1.0, sum), Error);
  EXPECT_THROW(fresh.noisy_gradient(theta, kNan, sum), Error);
  EXPECT_THROW(fresh.noisy_gradient(std::vector<double>{0.0, kNan, 0.0}, mu_k, sum), Error);
  EXPECT_THROW(fresh.noisy_gradient(std::vector<double>{0.0, 0.0}, mu_k, sum), Error);
  EXPECT_EQ(fresh.spend().spent_mu(), 0.0);
}

TEST(HistoryKernel, APassOverDisjointPartsIsPaidOnceAndHoldsEveryRowOnce) {
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  feed(kernel, random_rows(10, 6));
  const std::vector<double> theta(3, 0.0);
  NoisyGradient whole;
  kernel.noisy_gradient(theta, 0.01, whole);
  std::vector<Int128> total(3, 0);
  for (std::uint64_t part = 0; part < 4; ++part) {
    NoisyGradient some;
    kernel.noisy_gradient(theta, 0.01, some, part, 4);
    EXPECT_EQ(some.rows, part < 2 ? 3U : 2U);
    for (std::size_t i = 0; i < 3; ++i) total[i] += some.values[i];
  }
  EXPECT_EQ(total, whole.values);
  EXPECT_NEAR(kernel.spend().spent_mu(), std::hypot(0.01, 0.01), 1e-12);
  // Out of order, twice, for less noise, or after new rows: not the same pass.
  NoisyGradient sum;
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 1, 4), Error);
  kernel.noisy_gradient(theta, 0.01, sum, 0, 4);
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 2, 4), Error);
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 1, 3), Error);
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.011, sum, 1, 4), Error);
  kernel.noisy_gradient(theta, 0.01, sum, 1, 4);
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 1, 4), Error);
  kernel.observe(std::vector<double>(3, 0.1), 1.0);
  kernel.close_step();
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 2, 4), Error);
  EXPECT_THROW(kernel.noisy_gradient(theta, 0.01, sum, 4, 4), Error);
}

TEST(HistoryKernel, AddsTheNoiseThatWasPaidFor) {
  // 2000 sums of 3 coordinates over no rows: the sample variance of 6000 normals is within 10% except with probability
  // 5e-8; half or twice the noise is off by far more.
  const privacy::GradientPlan plan(request_for(Neighbours::replace, 4000));
  HistoryKernel kernel(plan, Schema::unit_ball(kDimension), make_hinge_loss(), 1.0, DiscreteGaussianNoise::insecure(7));
  const double mu_k = plan.mu() / 64.0;
  double squares = 0.0;
  NoisyGradient sum;
  kernel.begin_call(1);
  for (int i = 0; i < 2000; ++i) {
    kernel.noisy_gradient(std::vector<double>(3, 0.0), mu_k, sum);
    for (const Int128 value : sum.values) squares += std::pow(static_cast<double>(value), 2);
  }
  EXPECT_NEAR(std::sqrt(squares / 6000.0), plan.lattice_sensitivity() / mu_k, 0.05 * plan.lattice_sensitivity() / mu_k);
  EXPECT_GE(plan.sigma_for(mu_k), plan.lattice_sensitivity() / mu_k);
}

TEST(HistoryKernel, LimitsTheRowsOfAUnitAndCountsUnusableOnes) {
  privacy::GradientRequest request = request_for();
  request.units = true;
  request.rows_per_unit = 2;
  const privacy::GradientPlan plan(request);
  EXPECT_EQ(plan.lattice_sensitivity(), 4.0 * std::ldexp(1.0, 30));
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  const std::vector<double> x{0.5, 0.0, 0.0};
  for (int i = 0; i < 4; ++i) {
    kernel.observe(x, 1.0, "a");
    kernel.close_step();
  }
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 2U);
  EXPECT_EQ(kernel.unusable_rows_for_operator(), 2U);
  NoisyGradient sum;
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, sum);
  EXPECT_NEAR(static_cast<double>(sum.values[0]) * plan.lattice_unit(1.0), -1.0, 1e-3);
  EXPECT_THROW(kernel.observe(x, 1.0), RequestError);
  // Rows of nobody are zero rows: there is no limit that they could keep.
  NoisyGradient after;
  for (int i = 0; i < 3; ++i) {
    kernel.observe(x, 1.0, "");
    kernel.close_step();
  }
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, after);
  EXPECT_EQ(after.values, sum.values);
  EXPECT_EQ(kernel.unusable_rows_for_operator(), 5U);
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 2U);
}

TEST(HistoryKernel, AnAnswerThatIsNoNumberCountsForNothing) {
  class NoNumber final : public Loss {
   public:
    [[nodiscard]] std::string name() const override { return "none"; }
    [[nodiscard]] bool is_classification() const override { return false; }
    [[nodiscard]] double value(double /*prediction*/, double /*y*/) const override { return 0.0; }
    [[nodiscard]] double derivative(double /*prediction*/, double /*y*/) const override { return kNan; }
    [[nodiscard]] double lipschitz(double /*radius*/) const override { return 1.0; }
    [[nodiscard]] double smoothness(double /*radius*/) const override { return 1.0; }
    [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
  };
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, std::make_shared<NoNumber>(), 1.0);
  feed(kernel, random_rows(4, 9));
  NoisyGradient sum;
  kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, sum);
  EXPECT_EQ(sum.values, std::vector<Int128>(3, 0));
}

// The charge for discreteness was made for plan.request().most_sums sums; more draws are not paid for, however little
// each of them costs of mu.
TEST(HistoryKernel, ReleasesNoMoreSumsThanDiscretenessWasChargedFor) {
  const privacy::GradientPlan plan(request_for(Neighbours::replace, 5));
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  feed(kernel, random_rows(6, 8));
  const std::vector<double> theta(3, 0.0);
  const double mu_k = 1e-3 * plan.mu();
  NoisyGradient sum;
  kernel.noisy_gradient(theta, mu_k, sum);
  for (std::uint64_t part = 0; part < 3; ++part) kernel.noisy_gradient(theta, mu_k, sum, part, 3);
  kernel.noisy_gradient(theta, mu_k, sum, 0, 3);
  const double spent = kernel.spend().spent_mu();
  sum.values.clear();
  EXPECT_THROW(kernel.noisy_gradient(theta, mu_k, sum, 1, 3), Error);
  EXPECT_THROW(kernel.noisy_gradient(theta, mu_k, sum), Error);
  EXPECT_TRUE(sum.values.empty());
  EXPECT_EQ(kernel.spend().spent_mu(), spent);
}

TEST(HistoryKernel, RefusesALipschitzConstantThatIsNone) {
  const privacy::GradientPlan plan(request_for());
  for (const double lipschitz : {0.0, -1.0, kNan, kInf, -kInf, 1e-320}) {
    EXPECT_THROW(kernel_for(plan, make_hinge_loss(), lipschitz), RequestError) << lipschitz;
  }
}

// Says of some rows that it cannot be asked about them.
class RefusingLoss final : public Loss {
 public:
  [[nodiscard]] std::string name() const override { return "refusing"; }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double /*prediction*/, double /*y*/) const override { return 0.0; }
  [[nodiscard]] double derivative(double /*prediction*/, double y) const override {
    if (y > 0.0) throw std::domain_error("a row with a positive target");
    return 1.0;
  }
  [[nodiscard]] double lipschitz(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
};

TEST(HistoryKernel, ARowThatTheLossThrowsForCountsForNothing) {
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, std::make_shared<RefusingLoss>(), 1.0);
  feed(kernel, {{{0.5, 0.0, 0.0}, -1.0}, {{0.0, 0.5, 0.0}, 1.0}});
  NoisyGradient sum;
  EXPECT_NO_THROW(kernel.noisy_gradient(std::vector<double>(3, 0.0), 0.01, sum));
  ASSERT_EQ(sum.values.size(), 3U);
  EXPECT_GT(sum.values[0], 0);
  EXPECT_EQ(sum.values[1], 0);
  EXPECT_EQ(sum.rows, 2U);
}

TEST(HistoryKernel, IsForTheDimensionItsDrawsWereChargedFor) {
  const privacy::GradientPlan plan(request_for());
  for (const std::size_t dimension : {kDimension - 1, kDimension + 1}) {
    EXPECT_THROW(HistoryKernel(plan, Schema::unit_ball(dimension), make_hinge_loss(), 1.0,
                               std::make_unique<testing::ZeroNoise>()),
                 RequestError);
  }
}

TEST(HistoryKernel, TakesNoRowMoreThanItsStepHolds) {
  privacy::GradientRequest request = request_for();
  request.rows_per_step = 2;
  const privacy::GradientPlan plan(request);
  HistoryKernel kernel = kernel_for(plan, make_hinge_loss(), 1.0);
  const std::vector<double> x(3, 0.1);
  kernel.observe(x, 1.0);
  kernel.observe(x, 1.0);
  EXPECT_TRUE(kernel.step_is_full());
  EXPECT_THROW(kernel.observe(x, 1.0), Error);
  EXPECT_EQ(kernel.rows_in_step(), 2U);
}

}  // namespace
}  // namespace rivulet::kernel
