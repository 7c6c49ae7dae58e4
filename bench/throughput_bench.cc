// The whole path, measured as ratios and medians within one run, so that a noisy machine does not matter much:
//   * rows/s from CSV with a release after every row, d = 10 (target 100,000 a core);
//   * ingest at d = 100, a release every 1000 rows, rows in memory, against Eigen's own rank-k update (target 50%);
//   * memory at 10^4 and at 10^7 steps (target: no growth).
// --quick: small sizes, and no memory. It shows that everything runs; the figures mean nothing.
#include <malloc.h>
#include <sys/resource.h>

#include <Eigen/Core>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "figures.h"
#include "input/byte_source.h"
#include "input/csv.h"
#include "kernel/hot_loops.h"
#include "not_private/exact_least_squares.h"
#include "rivulet/priv_inc_reg1.h"

namespace {

using namespace rivulet;
using bench::processor_seconds;

double seconds_since(double start) {
  return processor_seconds() - start;
}

std::string make_csv(std::size_t rows, std::size_t features) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::string csv;
  for (std::size_t i = 0; i < features; ++i) csv += "x" + std::to_string(i) + ",";
  csv += "y\n";
  char cell[32];
  for (std::size_t row = 0; row < rows; ++row) {
    double y = 0.0;
    for (std::size_t i = 0; i < features; ++i) {
      const double x = uniform(random);
      y += x / static_cast<double>(features);
      csv.append(cell, static_cast<std::size_t>(std::snprintf(cell, sizeof cell, "%.6f,", x)));
    }
    csv.append(cell, static_cast<std::size_t>(std::snprintf(cell, sizeof cell, "%.6f\n", y)));
  }
  return csv;
}

Schema box_schema(std::size_t features) {
  Schema schema;
  for (std::size_t i = 0; i < features; ++i) schema.feature("x" + std::to_string(i), {-1, 1});
  return schema.target("y", {-1, 1});
}

// Seconds for the same rows with exact sums: parsed, bounded, added up, solved after every row.
double without_privacy(const std::string& csv, const StreamOptions& options, double& checksum) {
  not_private::ExactLeastSquares exact(options.schema, options.constraint);
  input::MemorySource source(csv);
  input::CsvRowSource rows(source, options.schema);
  input::Row row;
  const double start = processor_seconds();
  while (rows.next(row)) {
    exact.observe(row.values, row.target);
    checksum += exact.model().intercept;
  }
  return seconds_since(start);
}

void release_every_row(bench::Figures& figures, bool quick) {
  const std::size_t count = quick ? 2000 : 200'000;
  const std::string csv = make_csv(count, 10);
  std::vector<double> rates, plain_rates, ratios;
  double checksum = 0.0;
  for (int repetition = 0; repetition < (quick ? 1 : 5); ++repetition) {
    StreamOptions options;
    options.budget = {1.0, 1e-6};
    options.schema = box_schema(10);
    PrivIncReg1 regression(options);
    input::MemorySource source(csv);
    input::CsvRowSource rows(source, options.schema);
    input::Row row;
    const double start = processor_seconds();
    while (rows.next(row)) {
      if (regression.observe(row.values, row.target)) checksum += regression.model().intercept;
    }
    const double private_seconds = seconds_since(start);
    const double plain_seconds = without_privacy(csv, options, checksum);
    rates.push_back(static_cast<double>(count) / private_seconds);
    plain_rates.push_back(static_cast<double>(count) / plain_seconds);
    ratios.push_back(plain_seconds / private_seconds);
  }
  figures.add("every_row/rows_a_second", bench::median(rates));
  figures.add("every_row/not_private_rows_a_second", bench::median(plain_rates));
  figures.add("every_row/share", bench::median(ratios));
  std::printf(
      "release after every row, d = 10 + intercept, from CSV, model solved each time: %.0f rows/s (target 100000); the "
      "same without privacy: %.0f rows/s; share %.0f%%%s\n",
      bench::median(rates), bench::median(plain_rates), 100.0 * bench::median(ratios), checksum == 0.123 ? " " : "");
}

void ingest_against_rank_update(bench::Figures& figures, const Horizon& horizon, const char* described, bool quick) {
  constexpr std::size_t kDimension = 100;
  constexpr std::size_t kRows = 20'000;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(kRows * kDimension), targets(kRows);
  for (double& value : values) value = uniform(random);
  for (double& value : targets) value = uniform(random);
  constexpr std::size_t kOrder = kDimension + 1;
  std::vector<double> joint;
  for (std::size_t row = 0; row < kRows; ++row) {
    joint.insert(joint.end(), values.begin() + static_cast<std::ptrdiff_t>(row * kDimension),
                 values.begin() + static_cast<std::ptrdiff_t>((row + 1) * kDimension));
    joint.push_back(targets[row]);
  }

  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = box_schema(kDimension).intercept(false);
  options.release_every = 1000;
  options.horizon = horizon;
  std::vector<double> ratios, ours, plain;
  for (int repetition = 0; repetition < (quick ? 1 : 15); ++repetition) {
    // Eigen's own rate on the same rows (target included), 1000 at a time, with the best instruction set of this
    // machine.
    std::vector<double> out(kOrder * kOrder);
    double start = processor_seconds();
    for (std::size_t i = 0; i < kRows / 1000; ++i) {
      kernel::hot_loops().rank_update(joint.data() + i * 1000 * kOrder, kOrder, 1000, out.data());
    }
    const double plain_seconds = seconds_since(start);
    PrivIncReg1 regression(options);
    start = processor_seconds();
    regression.observe_many(values, targets);
    const double our_seconds = seconds_since(start);
    ratios.push_back(plain_seconds / our_seconds);
    ours.push_back(static_cast<double>(kRows) / our_seconds);
    plain.push_back(static_cast<double>(kRows) / plain_seconds);
  }
  const std::string name = horizon.is_known() ? "known" : "unbounded";
  figures.add("ingest/" + name + "/rows_a_second", bench::median(ours));
  figures.add("ingest/" + name + "/rank_update_rows_a_second", bench::median(plain));
  figures.add("ingest/" + name + "/share", bench::median(ratios));
  std::printf(
      "ingest, d = 100, release every 1000 rows, %s, from memory: %.0f rows/s; Eigen's rank-k update alone: %.0f "
      "rows/s; share %.0f%% (target 50%%)\n",
      described, bench::median(ours), bench::median(plain), 100.0 * bench::median(ratios));
}

void memory(bench::Figures& figures) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = box_schema(10);
  PrivIncReg1 regression(options);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::array<double, 10> row{};
  const auto peak_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  std::size_t early = 0;
  long early_peak = 0;
  constexpr std::uint64_t kSteps = 10'000'000;
  const double start = processor_seconds();
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    for (double& value : row) value = uniform(random);
    regression.observe(row, row[0]);
    if (step == 10'000) {
      (void)regression.model();
      early = mallinfo2().uordblks;
      early_peak = peak_kilobytes();
    }
    if (step % 1'000'000 == 0)
      std::fprintf(stderr, "\rmemory: %llu million steps, %.0f s", static_cast<unsigned long long>(step / 1'000'000),
                   seconds_since(start));
  }
  std::fprintf(stderr, "\r                                        \r");
  (void)regression.model();
  figures.add("heap_bytes/steps=10000", static_cast<double>(early));
  figures.add("heap_bytes/steps=10000000", static_cast<double>(mallinfo2().uordblks));
  std::printf(
      "memory, d = 10, a release after every row: heap %zu bytes at 10^4 steps, %zu at 10^7; peak resident %ld KB, %ld "
      "KB (target: flat)\n",
      early, mallinfo2().uordblks, early_peak, peak_kilobytes());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string json = bench::take_option(arguments, "--json");
  const bool quick = arguments == std::vector<std::string>{"--quick"};
  if (!arguments.empty() && !quick) {
    std::fprintf(stderr, "usage: throughput_bench [--json FILE] [--quick]\n");
    return 2;
  }
  bench::Figures figures;
  release_every_row(figures, quick);
  ingest_against_rank_update(figures, Horizon::known(1000), "known horizon", quick);
  ingest_against_rank_update(figures, Horizon::unbounded(), "unbounded horizon", quick);
  if (!quick) memory(figures);
  return figures.write(json) ? 0 : 1;
}
