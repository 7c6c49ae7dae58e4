// How cost grows, in processor time, medians of several rounds that take the sizes in turn, so that a busy machine does
// not bend the curve:
//   * rows a second at d = 10 and 20, a release after every row and after every 100, model solved at each;
//   * a row, a step and a model as d grows; a step as the stream grows; a row and a step as the sketch grows.
//
//   build/release/scaling_bench [--json FILE] [--only streams] [--quick]
//
// --quick: one round of small sizes. It shows that everything runs; the figures mean nothing.
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>

#include "figures.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/priv_inc_reg2.h"
#include "synthetic_stream.h"

namespace {

using namespace rivulet;
using namespace rivulet::bench;

int rounds = 7;
bool quick = false;

// As many, or a few.
std::size_t shrunk(std::size_t count) {
  return quick ? count / 50 + 2 : count;
}

// Rows in the box, d values each, and targets.
struct Rows {
  Rows(std::size_t rows, std::size_t width) : dimension(width), values(rows * width), targets(rows) {
    std::mt19937_64 random(dimension);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : values) value = uniform(random);
    for (std::size_t i = 0; i < rows; ++i) targets[i] = 0.5 * values[i * dimension] + 0.1 * uniform(random);
  }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values.data() + i * dimension, dimension}; }
  [[nodiscard]] std::size_t count() const { return targets.size(); }

  std::size_t dimension;
  std::vector<double> values, targets;
};

StreamOptions options_for(std::size_t dimension, std::uint64_t release_every) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  for (std::size_t i = 0; i < dimension; ++i) options.schema.feature("x" + std::to_string(i), {-1, 1});
  options.schema.target("y", {-1, 1});
  options.release_every = release_every;
  return options;
}

// Seconds a row of the whole stream, a model at every release.
double streamed(const Rows& rows, std::uint64_t release_every) {
  PrivIncReg1 regression(options_for(rows.dimension, release_every));
  const double start = processor_seconds();
  for (std::size_t i = 0; i < rows.count(); ++i) {
    if (regression.observe(rows.row(i), rows.targets[i])) (void)regression.model();
  }
  return (processor_seconds() - start) / static_cast<double>(rows.count());
}

// Seconds a row with a release every 1000: summing dominates.
double row_cost(const Rows& rows) {
  PrivIncReg1 regression(options_for(rows.dimension, 1000));
  const double start = processor_seconds();
  regression.observe_many(rows.values, rows.targets);
  return (processor_seconds() - start) / static_cast<double>(rows.count());
}

// Seconds a step of one row, no model asked for: encoding, noise and decoding dominate.
double step_cost(const Rows& rows) {
  PrivIncReg1 regression(options_for(rows.dimension, 1));
  const double start = processor_seconds();
  regression.observe_many(rows.values, rows.targets);
  return (processor_seconds() - start) / static_cast<double>(rows.count());
}

double model_cost(const Rows& rows) {
  PrivIncReg1 regression(options_for(rows.dimension, 100));
  regression.observe_many(rows.values, rows.targets);
  const int models = quick ? 1 : 20;
  double seconds = 0.0;
  for (int i = 0; i < models; ++i) {
    regression.observe_many(std::span(rows.values).first(100 * rows.dimension), std::span(rows.targets).first(100));
    const double start = processor_seconds();
    (void)regression.model();
    seconds += processor_seconds() - start;
  }
  return seconds / models;
}

// Measures every size once a round and keeps the medians under `name=size`.
void growth(Figures& figures, const std::string& name, const std::vector<std::uint64_t>& sizes,
            const std::function<double(std::uint64_t)>& cost) {
  std::map<std::uint64_t, std::vector<double>> seconds;
  for (int round = 0; round < rounds; ++round) {
    for (const std::uint64_t size : sizes) seconds[size].push_back(cost(size));
  }
  std::printf("%-34s", name.c_str());
  for (const std::uint64_t size : sizes) {
    const double middle = median(seconds[size]);
    figures.add(name + "=" + std::to_string(size), middle);
    std::printf("  %llu: %.3g us", static_cast<unsigned long long>(size), 1e6 * middle);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void streams(Figures& figures) {
  for (const std::size_t dimension : {std::size_t{10}, std::size_t{20}}) {
    const Rows rows(shrunk(50'000), dimension);
    growth(figures, "seconds_a_row/streamed/d=" + std::to_string(dimension) + "/every", {1, 100},
           [&](std::uint64_t every) { return streamed(rows, every); });
  }
}

void in_dimension(Figures& figures) {
  std::map<std::uint64_t, std::unique_ptr<Rows>> made;
  const auto rows_of = [&](std::uint64_t dimension, std::size_t count) -> const Rows& {
    auto& rows = made[dimension];
    if (!rows || rows->count() != count) rows = std::make_unique<Rows>(count, dimension);
    return *rows;
  };
  growth(figures, "seconds_a_row/d", {50, 100, 200, 400},
         [&](std::uint64_t d) { return row_cost(rows_of(d, shrunk(5000))); });
  growth(figures, "seconds_a_step/d", {10, 20, 40, 80, 160},
         [&](std::uint64_t d) { return step_cost(rows_of(d, shrunk(400'000 / (d * d) + 500))); });
  growth(figures, "seconds_a_model/d", {10, 20, 40, 80, 160},
         [&](std::uint64_t d) { return model_cost(rows_of(d, quick ? 100 : 2000)); });
}

// One stream, timed for 2000 steps from each power of four on.
void in_length(Figures& figures) {
  std::vector<std::uint64_t> starts{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20};
  if (quick) starts.resize(2);
  constexpr std::uint64_t kTimed = 2000;
  const Rows rows(kTimed, 10);
  std::map<std::uint64_t, std::vector<double>> seconds;
  for (int round = 0; round < std::min(rounds, 3); ++round) {
    PrivIncReg1 regression(options_for(10, 1));
    const auto take = [&](std::uint64_t steps) {
      for (std::uint64_t i = 0; i < steps; ++i) {
        regression.observe(rows.row(i % kTimed), rows.targets[i % kTimed]);
      }
    };
    for (const std::uint64_t first : starts) {
      take(first - regression.step());
      for (int part = 0; part < 4; ++part) {
        const double start = processor_seconds();
        take(kTimed / 4);
        seconds[first].push_back((processor_seconds() - start) / (kTimed / 4.0));
      }
      if (regression.step() != first + kTimed) throw std::logic_error("scaling_bench: a step was lost");
    }
  }
  std::printf("%-34s", "seconds_a_step/T");
  for (const std::uint64_t first : starts) {
    const double middle = median(seconds[first]);
    figures.add("seconds_a_step/T=" + std::to_string(first), middle);
    std::printf("  %llu: %.3g us", static_cast<unsigned long long>(first), 1e6 * middle);
  }
  std::printf("\n");
}

void in_sketch(Figures& figures) {
  experiments::SparseStream stream(4000, 10, 3.0, 0.05, 1);
  std::vector<experiments::SparseSyntheticRow> rows;
  for (int i = 0; i < 4000; ++i) rows.push_back(stream.next_sparse());
  const auto cost = [&](std::uint64_t m, std::uint64_t every, std::size_t count) {
    StreamOptions options;
    options.budget = {1.0, 1e-6};
    options.schema.block("x", 4000, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
    options.constraint = "l1:3";
    options.release_every = every;
    options.sketch = Sketch{.dimension = static_cast<std::size_t>(m), .seed = 1};
    PrivIncReg2 regression(options);
    const double start = processor_seconds();
    for (std::size_t i = 0; i < count; ++i) {
      regression.observe(SparseRow{rows[i].positions, rows[i].values}, rows[i].y);
    }
    return (processor_seconds() - start) / static_cast<double>(count);
  };
  const std::vector<std::uint64_t> sizes{50, 100, 200, 400};
  growth(figures, "seconds_a_row/m", sizes, [&](std::uint64_t m) { return cost(m, 1000, shrunk(4000)); });
  growth(figures, "seconds_a_step/m", sizes, [&](std::uint64_t m) { return cost(m, 1, shrunk(100)); });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string json = take_option(arguments, "--json");
  const std::string only = take_option(arguments, "--only");
  quick = take_flag(arguments, "--quick");
  if (quick) rounds = 1;
  if (!arguments.empty() || (!only.empty() && only != "streams")) {
    std::fprintf(stderr, "usage: scaling_bench [--json FILE] [--only streams] [--quick]\n");
    return 2;
  }
  Figures figures;
  streams(figures);
  if (only.empty()) {
    in_dimension(figures);
    in_length(figures);
    in_sketch(figures);
  }
  return figures.write(json) ? 0 : 1;
}
