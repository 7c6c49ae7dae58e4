// high_dimension [STREAMS | --quick]: PrivIncReg2 in high dimension. Excess risk and memory against the full matrix at
// d = 4000, speed and memory at d = 100,000, and that d = 1,000,000 runs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "high_dimension.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr double kMebibyte = 1048576.0;

// Means over the streams; the memory is the largest.
HighDimensionOutcome mean(HighDimensionSetting setting, int streams) {
  HighDimensionOutcome total;
  for (int stream = 1; stream <= streams; ++stream) {
    std::fprintf(stderr, "\rd = %zu, m = %zu, stream %d of %d   ", setting.dimension,
                 setting.sketch.value_or(setting.dimension), stream, streams);
    setting.seed = static_cast<std::uint64_t>(stream);
    const HighDimensionOutcome one = measure_high_dimension(setting);
    total.excess += one.excess / streams;
    total.trivial += one.trivial / streams;
    total.rows_per_second += one.rows_per_second / streams;
    total.model_seconds += one.model_seconds / streams;
    total.peak_bytes = std::max(total.peak_bytes, one.peak_bytes);
    total.nonzeros = std::max(total.nonzeros, one.nonzeros);
    total.distorted += one.distorted;
  }
  std::fprintf(stderr, "\r                                                  \r");
  return total;
}

void print(const char* what, const HighDimensionOutcome& outcome) {
  std::printf("%-34s %9.1f %9.1f %11.0f %11.3f %10.1f %9llu %9llu\n", what, outcome.excess, outcome.trivial,
              outcome.rows_per_second, outcome.model_seconds, outcome.peak_bytes / kMebibyte,
              static_cast<unsigned long long>(outcome.nonzeros), static_cast<unsigned long long>(outcome.distorted));
  std::fflush(stdout);
}

void heading(const char* text) {
  std::printf("\n%s\n%-34s %9s %9s %11s %11s %10s %9s %9s\n", text, "", "excess", "trivial", "rows/s", "model s",
              "peak MiB", "nonzeros", "distorted");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const int streams = quick ? 1 : argc > 1 ? std::max(1, std::atoi(argv[1])) : 8;
  const std::size_t shrink = quick ? 64 : 1;  // of dimensions, sketches and rows: shows that everything runs
  std::printf("Sparse rows, ten active features, L1 ball, epsilon = 1, delta = 1e-6; means of %d streams\n", streams);

  heading("d = 4000, 2^17 rows, a release every 1024; excess over the best model of the set");
  HighDimensionSetting setting{.dimension = 4000 / shrink, .rows = (1 << 17) / shrink, .against_best = true};
  for (const std::size_t m : {200, 400, 800}) {
    setting.sketch = m / (quick ? 20 : 1);
    char what[64];
    std::snprintf(what, sizeof what, "sketch, m = %zu", m);
    print(what, mean(setting, streams));
  }
  setting.sketch = 400 / (quick ? 20 : 1);
  setting.corrected = false;
  print("sketch, m = 400, cross-talk left in", mean(setting, streams));
  setting.corrected = true;
  setting.embedding = EmbeddingKind::gaussian;
  print("sketch, m = 400, gaussian", mean(setting, streams));
  setting.sketch.reset();
  print("full matrix", mean(setting, std::min(streams, 2)));

  heading("d = 100,000, m = 400, 2^17 rows, a release every 1000; excess over the model that made the data");
  setting = HighDimensionSetting{.dimension = 100000 / shrink,
                                 .sketch = 400 / (quick ? 20 : 1),
                                 .rows = (1 << 17) / shrink,
                                 .release_every = 1000};
  print("releases", mean(setting, streams));
  setting.embedding = EmbeddingKind::gaussian;
  print("releases, gaussian", mean(setting, 1));
  setting.embedding = EmbeddingKind::sparse_sign;
  setting.model_every_release = true;
  print("releases, a model for each", mean(setting, 1));

  heading("d = 1,000,000, m = 400, 2^17 rows, a release every 1000");
  setting.dimension = 1000000 / shrink;
  setting.model_every_release = false;
  print("releases", mean(setting, 1));
  return 0;
}
