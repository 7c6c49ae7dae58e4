// Solving over Phi K and lifting, as a release of a sketched regression does: m = 400 rows of a sparse sign embedding,
// L1 ball, statistics of 2^17 sparse rows with privacy noise. Cold: no start. Warm: from the model of the step before,
// whose statistics differ by a tenth of the noise.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "sketch/embedding.h"
#include "sketch/projected_solver.h"

namespace rivulet::sketch {
namespace {

constexpr std::size_t kRows = 400;
constexpr int kSamples = 1500;
constexpr double kStream = 131072.0;

struct Statistics {
  std::vector<double> gram;
  std::vector<double> cross;

  [[nodiscard]] solve::Quadratic quadratic() const { return {kRows, gram, cross}; }
};

// Rows of ten coordinates and a model of ten, met by every third of them.
Statistics statistics_of(std::mt19937_64& generator, const LinearMap& map) {
  std::normal_distribution<double> normal;
  std::vector<std::size_t> model;
  for (int k = 0; k < 10; ++k) model.push_back(generator() % map.columns());
  Statistics result{std::vector<double>(kRows * kRows), std::vector<double>(kRows)};
  const double weight = kStream / kSamples;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::vector<double> image(kRows, 0.0);
    double squares = 0.0;
    double response = 0.05 * normal(generator);
    for (int k = 0; k < 10; ++k) {
      const bool of_the_model = generator() % 3 == 0;
      const std::size_t column = of_the_model ? model[generator() % model.size()] : generator() % map.columns();
      const double value = normal(generator);
      squares += value * value;
      response += of_the_model ? 0.1 * value : 0.0;
      map.add_column(column, value, image);
    }
    for (double& entry : image) entry /= std::sqrt(squares);
    response /= std::sqrt(squares);
    for (std::size_t i = 0; i < kRows; ++i) {
      result.cross[i] += weight * image[i] * response;
      for (std::size_t j = 0; j < kRows; ++j) result.gram[i * kRows + j] += weight * image[i] * image[j];
    }
  }
  return result;
}

void add_noise(std::mt19937_64& generator, double sigma, Statistics& statistics) {
  std::normal_distribution<double> normal(0.0, sigma);
  for (std::size_t i = 0; i < kRows; ++i) {
    statistics.cross[i] += normal(generator);
    statistics.gram[i * kRows + i] += normal(generator);
    for (std::size_t j = i + 1; j < kRows; ++j) {
      const double noise = normal(generator) / std::sqrt(2.0);
      statistics.gram[i * kRows + j] += noise;
      statistics.gram[j * kRows + i] += noise;
    }
  }
}

// Arguments: d, the noise's standard deviation, the embedding.
void release(benchmark::State& state, bool warm) {
  std::mt19937_64 generator(7);
  const auto columns = static_cast<std::size_t>(state.range(0));
  const auto sigma = static_cast<double>(state.range(1));
  const auto map = sketch::make_embedding(
      {.kind = static_cast<EmbeddingKind>(state.range(2)), .rows = kRows, .columns = columns, .seed = 3});
  Statistics statistics = statistics_of(generator, *map);
  add_noise(generator, sigma, statistics);
  ProjectedSolver solver(make_l1_ball(columns, 1.0), map);
  std::vector<double> start;
  if (warm) {
    const auto theta = solver.minimise(statistics.quadratic(), {});
    start.assign(theta.begin(), theta.end());
    add_noise(generator, 0.1 * sigma, statistics);
  }
  std::vector<double> image(kRows);
  for (auto _ : state) {
    const auto theta = solver.minimise(statistics.quadratic(), {}, start);
    const std::vector<double> model(theta.begin(), theta.end());
    map->apply(model, image);
    benchmark::DoNotOptimize(solver.lift(image, model).data());
  }
  state.counters["gauge"] = solver.report().gauge;
  state.counters["gauge_bound"] = solver.report().gauge_bound;
}

void Cold(benchmark::State& state) {
  release(state, false);
}

void Warm(benchmark::State& state) {
  release(state, true);
}

// The lift alone of an image without a start, as from a model file.
void LiftAlone(benchmark::State& state) {
  std::mt19937_64 generator(7);
  const auto columns = static_cast<std::size_t>(state.range(0));
  const auto map =
      sketch::make_embedding({.kind = EmbeddingKind::sparse_sign, .rows = kRows, .columns = columns, .seed = 3});
  std::vector<double> theta(columns, 0.0);
  for (std::int64_t k = 0; k < state.range(1); ++k) theta[generator() % columns] = 1.0 / static_cast<double>(k + 1);
  std::vector<double> image(kRows);
  map->apply(theta, image);
  ProjectedSolver solver(make_l1_ball(columns, 10.0), map);
  for (auto _ : state) benchmark::DoNotOptimize(solver.lift(image).data());
  state.counters["residual"] = solver.report().residual;
}

constexpr std::int64_t kSparseSign = static_cast<std::int64_t>(EmbeddingKind::sparse_sign);
constexpr std::int64_t kGaussian = static_cast<std::int64_t>(EmbeddingKind::gaussian);

BENCHMARK(Cold)
    ->ArgNames({"d", "sigma", "embedding"})
    ->ArgsProduct({{4000, 100000}, {1, 100}, {kSparseSign}})
    ->Args({4000, 100, kGaussian})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Warm)
    ->ArgNames({"d", "sigma", "embedding"})
    ->ArgsProduct({{4000, 100000}, {1, 100}, {kSparseSign}})
    ->Args({4000, 100, kGaussian})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(LiftAlone)
    ->ArgNames({"d", "nonzero"})
    ->ArgsProduct({{4000, 100000}, {10, 60}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rivulet::sketch

BENCHMARK_MAIN();
