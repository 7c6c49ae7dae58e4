// Rows from memory at the rate of the library itself: what the Python package is compared with
// (bench/python_ingest.py).
//
//   ingest_bench [ROWS [FEATURES [RELEASES [REPETITIONS]]]]     1000000 20 100 5
//
// One line a repetition: rows a second of processor time for one observe_many() over an array of doubles and the last
// model.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "rivulet/incremental_regression.h"

namespace {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::size_t argument(int argc, char** argv, int position, std::size_t otherwise) {
  return argc > position ? std::strtoull(argv[position], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argument(argc, argv, 1, 1'000'000);
  const std::size_t features = argument(argc, argv, 2, 20);
  const std::size_t releases = argument(argc, argv, 3, 100);
  const std::size_t repetitions = argument(argc, argv, 4, 5);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(rows * features), targets(rows);
  for (double& value : values) value = uniform(random);
  for (double& value : targets) value = uniform(random);

  rivulet::StreamOptions options;
  options.budget = {1.0, 1e-6};
  for (std::size_t i = 0; i < features; ++i) options.schema.feature("x" + std::to_string(i), {-1, 1});
  options.schema.target("y", {-1, 1});
  options.release_every = rows / releases;
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    rivulet::IncrementalRegression regression(options);
    const double start = processor_seconds();
    const std::uint64_t made = regression.observe_many(values, targets);
    const double intercept = regression.model().intercept;
    const double seconds = processor_seconds() - start;
    std::printf("%.0f rows/s, %llu releases, intercept %g\n", static_cast<double>(rows) / seconds,
                static_cast<unsigned long long>(made), intercept);
    std::fflush(stdout);
  }
  return 0;
}
