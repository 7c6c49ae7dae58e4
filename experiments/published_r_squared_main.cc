// published_r_squared [STREAMS] [DATA]: the table of docs/inference.md about the R^2 of published models.
#include <cstdio>
#include <cstdlib>

#include "published_r_squared.h"

int main(int argc, char** argv) {
  using namespace rivulet::experiments;
  const std::uint64_t streams = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300;
  const std::string data = argc > 2 ? argv[2] : "data";
  std::printf(
      "| table | rows | ε | constraint | true R² of the model | told | covered | of the intervals | width | says "
      "better, "
      "wrongly "
      "| says no better, wrongly | unconstrained fit | uncorrected "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const QualitySetting& setting : quality_settings()) {
    const QualityResult r = measure_quality(setting, data, streams);
    std::printf(
        "| %s | %llu | %g | `%s`%s | %.3f to %.3f | %.1f%% | **%.1f%%** | %.1f%% | %.2g | %.1f%%, %.1f%% | %.1f%%, "
        "%.1f%% | %.1f%% | %.1f%% |\n",
        setting.table.c_str(), static_cast<unsigned long long>(setting.rows), setting.epsilon,
        setting.constraint.c_str(), setting.noise_aware_ridge ? "" : ", no ridge", r.least_r_squared,
        r.largest_r_squared, 100.0 * r.told, 100.0 * r.covered, 100.0 * r.covered_among_told, r.middle_width,
        100.0 * r.said_better, 100.0 * r.wrongly_better, 100.0 * r.said_no_better, 100.0 * r.wrongly_no_better,
        100.0 * r.free_fit_covered, 100.0 * r.uncorrected_covered);
    std::fflush(stdout);
  }
  return 0;
}
