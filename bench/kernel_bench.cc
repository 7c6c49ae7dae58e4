// The kernel's parts: random bits, exact noise, moments, encoders, decoders.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernel/discrete_gaussian.h"
#include "kernel/encoder.h"
#include "kernel/history_kernel.h"
#include "kernel/hot_loops.h"
#include "kernel/moment_sum.h"
#include "kernel/noise_source.h"
#include "kernel/row_lattice.h"
#include "strategy/strategy.h"

namespace {

using namespace rivulet;
using namespace rivulet::kernel;

void random_bits(benchmark::State& state) {
  RandomBits bits = RandomBits::secure();
  std::vector<std::byte> out(65536);
  for (auto _ : state) {
    bits.fill(out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(random_bits);

// The target: 50 million exact samples a second on one core.
void discrete_gaussian(benchmark::State& state) {
  RandomBits bits = RandomBits::secure();
  const DiscreteGaussian sampler(std::ldexp(1.0, static_cast<int>(state.range(0))));
  std::vector<std::int64_t> out(static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    sampler.sample(bits, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(discrete_gaussian)
    ->ArgNames({"log2_sigma", "draws"})
    ->Args({20, 65536})
    ->Args({34, 65536})
    ->Args({52, 65536})
    ->Args({52, 66});

// What exactness is measured against: the C++ library's floating-point normals from a generator that is not
// cryptographic.
void standard_normal(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.0, 0x1p34);
  std::vector<double> out(65536);
  for (auto _ : state) {
    for (double& value : out) value = normal(random);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(standard_normal);

void discrete_gaussian_setup(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(DiscreteGaussian(0x1.3p52));
}
BENCHMARK(discrete_gaussian_setup);

privacy::MechanismPlan plan_for(std::size_t dimension, StrategyKind kind) {
  privacy::MechanismRequest request;
  request.dimension = dimension;
  request.strategy.kind = kind;
  if (kind == StrategyKind::tree) request.strategy.horizon = Horizon::known(std::uint64_t{1} << 30);
  return privacy::MechanismPlan(request);
}

void encode(benchmark::State& state, StrategyKind kind) {
  const auto plan = plan_for(static_cast<std::size_t>(state.range(0)), kind);
  const auto encoder = make_encoder(plan);
  DiscreteGaussianNoise noise(RandomBits::secure());
  const std::vector<Int128> sums(plan.layout().size(), 12345678);
  NoisyStep out;
  std::uint64_t step = 0;
  for (auto _ : state) {
    encoder->encode(++step, sums, noise, out);
    benchmark::DoNotOptimize(out.vectors.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK_CAPTURE(encode, blt, StrategyKind::blt)->ArgName("d")->Arg(10)->Arg(100);
BENCHMARK_CAPTURE(encode, tree, StrategyKind::tree)->ArgName("d")->Arg(10)->Arg(100);
BENCHMARK_CAPTURE(encode, hybrid, StrategyKind::hybrid)->ArgName("d")->Arg(10)->Arg(100);

void decode_blt(benchmark::State& state) {
  const auto plan = plan_for(static_cast<std::size_t>(state.range(0)), StrategyKind::blt);
  const auto decoder = plan.strategy().make_decoder(plan.layout().size());
  NoisyStep step{0, 0, {{0, std::vector<Int128>(plan.layout().size(), 123456789)}}};
  for (auto _ : state) {
    ++step.step;
    decoder->absorb(step);
    benchmark::DoNotOptimize(decoder->whole().data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(decode_blt)->ArgName("d")->Arg(10)->Arg(100);

void quantise_and_sum(benchmark::State& state) {
  const auto dimension = static_cast<std::size_t>(state.range(0));
  const auto plan = plan_for(dimension, StrategyKind::blt);
  Schema schema;
  for (std::size_t i = 0; i < dimension; ++i) schema.feature("x" + std::to_string(i), {-1, 1});
  schema.target("y", {-1, 1}).intercept(false);
  const RowLattice lattice(schema, plan.limits());
  MomentSum sum(lattice.order());
  RowScratch scratch;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> rows(1000 * dimension);
  for (double& value : rows) value = uniform(random);
  for (auto _ : state) {
    for (std::size_t i = 0; i < 1000; ++i) {
      lattice.quantise({rows.data() + i * dimension, dimension}, 0.5, sum.next_row(), scratch);
      sum.commit_row();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * 1000));
}
BENCHMARK(quantise_and_sum)->ArgName("d")->Arg(10)->Arg(100)->Arg(1000);

// A sum of gradients over 100,000 kept rows, by the kernel and, for the ratio, one row after another as a reader would
// write it down.
class GradientRows {
 public:
  explicit GradientRows(std::size_t dimension) : dimension_(dimension), theta_(dimension) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (double& entry : theta_) entry = normal(random) / std::sqrt(static_cast<double>(dimension));
    const double scale = 0.9 * 32768.0 / std::sqrt(static_cast<double>(dimension));
    std::uniform_real_distribution<double> uniform(-scale, scale);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) rows_.push_back(static_cast<std::int32_t>(uniform(random)));
      rows_.push_back(random() % 2 == 0 ? 32767 : -32767);
    }
  }

  [[nodiscard]] const std::vector<double>& theta() const { return theta_; }
  void feed(HistoryKernel& kernel) const {
    std::vector<double> row(dimension_);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < dimension_; ++j) row[j] = rows_[i * (dimension_ + 1) + j] / 32768.0;
      kernel.observe(row, rows_[i * (dimension_ + 1) + dimension_] / 32768.0);
      kernel.close_step();
    }
  }
  [[nodiscard]] std::vector<std::int64_t> sum(const Loss& loss, double factor) const {
    std::vector<std::int64_t> sums(dimension_, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::int32_t* const row = rows_.data() + i * (dimension_ + 1);
      double prediction = 0.0;
      for (std::size_t j = 0; j < dimension_; ++j) prediction += theta_[j] * static_cast<double>(row[j]);
      const double derivative = loss.derivative(prediction / 32768.0, row[dimension_] / 32768.0);
      const auto c =
          std::clamp(static_cast<std::int64_t>(derivative * factor), std::int64_t{-32768}, std::int64_t{32768});
      for (std::size_t j = 0; j < dimension_; ++j) sums[j] += c * row[j];
    }
    return sums;
  }
  static constexpr std::size_t kRows = 100000;

 private:
  std::size_t dimension_;
  std::vector<double> theta_;
  std::vector<std::int32_t> rows_;
};

void gradient_sum(benchmark::State& state, const char* loss_text) {
  const auto dimension = static_cast<std::size_t>(state.range(0));
  privacy::GradientRequest request;
  request.dimension = dimension;
  request.most_sums = 1 << 20;
  const privacy::GradientPlan plan(request);
  HistoryKernel kernel(plan, Schema::unit_ball(dimension), parse_loss(loss_text), 1.0,
                       DiscreteGaussianNoise::insecure(1));
  const GradientRows rows(dimension);
  rows.feed(kernel);
  NoisyGradient out;
  for (auto _ : state) {
    kernel.noisy_gradient(rows.theta(), 1e-5, out);
    benchmark::DoNotOptimize(out.values.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * GradientRows::kRows));
}
BENCHMARK_CAPTURE(gradient_sum, logistic, "logistic")->ArgName("d")->Arg(8)->Arg(100);
BENCHMARK_CAPTURE(gradient_sum, huber, "huber:0.5")->ArgName("d")->Arg(8)->Arg(100);

void gradient_row_by_row(benchmark::State& state, const char* loss_text) {
  const std::unique_ptr<Loss> loss = parse_loss(loss_text);
  const GradientRows rows(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rows.sum(*loss, 32768.0).data());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * GradientRows::kRows));
}
BENCHMARK_CAPTURE(gradient_row_by_row, logistic, "logistic")->ArgName("d")->Arg(8)->Arg(100);
BENCHMARK_CAPTURE(gradient_row_by_row, huber, "huber:0.5")->ArgName("d")->Arg(8)->Arg(100);

}  // namespace

BENCHMARK_MAIN();
