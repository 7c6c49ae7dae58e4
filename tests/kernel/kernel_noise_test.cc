// The noise that actually leaves the kernel, measured. False-alarm probability of every check: at most 1e-6.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/kernel.h"
#include "support/statistics.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

// Published minus exact, divided by the promised sigma, coordinate by coordinate.
std::vector<std::vector<double>> standardised_noise(StrategyKind kind, std::size_t steps, double sigma_factor = 1.0,
                                                    Profile profile = Profile::tight) {
  privacy::MechanismRequest request;
  request.dimension = 3;
  request.profile = profile;
  request.strategy.kind = kind;
  request.strategy.horizon = Horizon::known(steps);
  const privacy::MechanismPlan plan(request);
  const Schema schema = Schema::unit_ball(3);
  // The planted defect: the same draws, scaled.
  class Scaled final : public NoiseSource {
   public:
    explicit Scaled(double factor) : factor_(factor), noise_(RandomBits::insecure(77)) {}
    void add(std::span<Int128> values, double sigma) override { noise_.add(values, sigma * factor_); }

   private:
    double factor_;
    DiscreteGaussianNoise noise_;
  };
  Kernel noisy(plan, schema, std::make_unique<Scaled>(sigma_factor));
  Kernel exact(plan, schema, std::make_unique<testing::ZeroNoise>());
  const privacy::ReleaseLayout& layout = plan.layout();
  std::vector<std::vector<double>> result(layout.size());
  const double row[] = {0.4, -0.3, 0.2};
  NoisyStep a;
  NoisyStep b;
  for (std::size_t step = 1; step <= steps; ++step) {
    noisy.observe(row, 0.7);
    exact.observe(row, 0.7);
    noisy.close_step(a);
    exact.close_step(b);
    for (std::size_t v = 0; v < a.vectors.size(); ++v) {
      for (std::size_t i = 0; i < layout.size(); ++i) {
        const double sigma = i < layout.offdiagonal_begin() ? plan.sigmas().gram_diagonal
                             : i < layout.cross_begin()     ? plan.sigmas().gram_offdiagonal
                             : i < layout.target_square()   ? plan.sigmas().cross
                                                            : plan.sigmas().target_square;
        result[i].push_back(static_cast<double>(a.vectors[v].values[i] - b.vectors[v].values[i]) / sigma);
      }
    }
  }
  return result;
}

double mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

// |mean square - 1| has standard deviation sqrt(2/n).
bool has_unit_variance(const std::vector<double>& values) {
  return std::abs(mean_square(values) - 1.0) * std::sqrt(static_cast<double>(values.size()) / 2.0) <
         testing::kTwoSidedMillionth;
}

class KernelNoise : public ::testing::TestWithParam<StrategyKind> {};

TEST_P(KernelNoise, EveryPublishedCoordinateCarriesItsFullSigma) {
  for (const auto& coordinate : standardised_noise(GetParam(), 20000)) EXPECT_TRUE(has_unit_variance(coordinate));
}

TEST_P(KernelNoise, NoiseThatIsTenPercentTooSmallWouldBeCaughtInEveryCoordinate) {
  for (const auto& coordinate : standardised_noise(GetParam(), 20000, 0.9)) EXPECT_FALSE(has_unit_variance(coordinate));
}

TEST_P(KernelNoise, NoDrawIsUsedTwice) {
  const auto noise = standardised_noise(GetParam(), 20000);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const std::size_t n = noise[i].size();
    // From step to step, and from coordinate to coordinate at the same step: a reused draw has correlation +-1.
    double along = 0.0;
    for (std::size_t t = 1; t < n; ++t) along += noise[i][t] * noise[i][t - 1];
    EXPECT_LT(std::abs(along) / std::sqrt(static_cast<double>(n)), testing::kTwoSidedMillionth) << i;
    for (std::size_t j = 0; j < i; ++j) {
      double across = 0.0;
      for (std::size_t t = 0; t < n; ++t) across += noise[i][t] * noise[j][t];
      EXPECT_LT(std::abs(across) / std::sqrt(static_cast<double>(n)), testing::kTwoSidedMillionth) << i << " " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, KernelNoise, ::testing::Values(StrategyKind::blt, StrategyKind::tree));

TEST(KernelNoise, HybridNoiseIsWidenedByItsEpochsLevels) {
  // 2^14 steps: the last epoch has 14 levels and half of the nodes. Compare its second half only.
  for (const auto& coordinate : standardised_noise(StrategyKind::hybrid, 16384)) {
    std::vector<double> late(coordinate.end() - static_cast<std::ptrdiff_t>(coordinate.size() / 4), coordinate.end());
    for (double& value : late) value /= std::sqrt(14.0);
    EXPECT_TRUE(has_unit_variance(late));
  }
}

TEST(KernelNoise, ProfilePaperCarriesItsLiteralSigma) {
  for (const auto& coordinate : standardised_noise(StrategyKind::tree, 20000, 1.0, Profile::paper)) {
    EXPECT_TRUE(has_unit_variance(coordinate));
  }
}

TEST(KernelNoise, TwoSecureKernelsNeverPublishTheSameNumbers) {
  privacy::MechanismRequest request;
  request.dimension = 1;
  const privacy::MechanismPlan plan(request);
  Kernel one(plan, Schema::unit_ball(1), std::make_unique<DiscreteGaussianNoise>(RandomBits::secure()));
  Kernel two(plan, Schema::unit_ball(1), std::make_unique<DiscreteGaussianNoise>(RandomBits::secure()));
  const double row[] = {0.5};
  one.observe(row, 0.1);
  two.observe(row, 0.1);
  NoisyStep a;
  NoisyStep b;
  one.close_step(a);
  two.close_step(b);
  EXPECT_FALSE(a.vectors[0].values == b.vectors[0].values);
}

}  // namespace
}  // namespace rivulet::kernel
