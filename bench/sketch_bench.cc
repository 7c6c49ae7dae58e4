// The random projection: making columns, and multiplying by the matrix and its transpose.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "sketch/embedding.h"
#include "sketch/public_random.h"

namespace {

using namespace rivulet;
using namespace rivulet::sketch;

EmbeddingSettings settings_of(const benchmark::State& state) {
  return {.kind = static_cast<EmbeddingKind>(state.range(0)),
          .rows = static_cast<std::size_t>(state.range(1)),
          .columns = static_cast<std::size_t>(state.range(2)),
          .seed = 1};
}

// What columns are kept in: nothing when the last argument is 0.
std::size_t memory_of(const benchmark::State& state) {
  return state.range(3) != 0 ? kColumnMemory : 0;
}

std::vector<double> wave(std::size_t size) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(static_cast<double>(i) + 1.0);
  return values;
}

void each_kind(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"gaussian", "m", "d", "kept"});
  for (const auto kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    for (const int kept : {1, 0}) benchmark->Args({static_cast<int>(kind), 400, 100'000, kept});
  }
}

// The target: 60 million a second on one core.
void normal_numbers(benchmark::State& state) {
  std::vector<std::uint32_t> words(kPieceLength);
  std::uint32_t next = 1;
  for (std::uint32_t& word : words) word = next = next * 1664525 + 1013904223;
  std::vector<float> out(kPieceLength);
  for (auto _ : state) {
    normal_entries(words, 0.05, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(normal_numbers);

// Every column once: items are entries of the matrix that are not zero.
void make_columns(benchmark::State& state) {
  const EmbeddingSettings settings = settings_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(make_embedding(settings));
  const std::size_t entries = settings.kind == EmbeddingKind::gaussian ? settings.rows : settings.column_weight;
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * entries * settings.columns));
}
BENCHMARK(make_columns)
    ->ArgNames({"gaussian", "m", "d"})
    ->Args({static_cast<int>(EmbeddingKind::sparse_sign), 400, 100'000})
    ->Args({static_cast<int>(EmbeddingKind::gaussian), 400, 100'000})
    ->Unit(benchmark::kMillisecond);

void add_column(benchmark::State& state) {
  const auto map = make_embedding(settings_of(state), memory_of(state));
  std::vector<double> out(map->rows());
  std::size_t column = 0;
  for (auto _ : state) {
    map->add_column(column, 0.5, out);
    benchmark::DoNotOptimize(out.data());
    column = (column + 7919) % map->columns();
  }
}
BENCHMARK(add_column)->Apply(each_kind);

void apply(benchmark::State& state) {
  const auto map = make_embedding(settings_of(state), memory_of(state));
  const std::vector<double> x = wave(map->columns());
  std::vector<double> out(map->rows());
  for (auto _ : state) {
    map->apply(x, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(apply)->Apply(each_kind)->Unit(benchmark::kMillisecond);

// The target: about a millisecond for sparse signs, the speed of memory for kept Gaussian columns.
void apply_transpose(benchmark::State& state) {
  const auto map = make_embedding(settings_of(state), memory_of(state));
  const std::vector<double> v = wave(map->rows());
  std::vector<double> out(map->columns());
  for (auto _ : state) {
    map->apply_transpose(v, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(apply_transpose)->Apply(each_kind)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
