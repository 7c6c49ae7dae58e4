// coverage [STREAMS]: how often confidence and prediction intervals cover, beside intervals that ignore the privacy
// noise; then streams from hopelessly short to long, to see what is reported near the limit of what is determined.
#include <cstdio>
#include <cstdlib>

#include "coverage.h"

namespace {

using namespace rivulet::experiments;

void print(const CoverageSetting& setting, const CoverageResult& result) {
  std::printf("%-30s %6llu %5g %6.1f%% %8.3g %8.3g %9.2f%% %8.2f%% %9.2f%% %9.4f %9.4f %9.2f%% %9.3f %8.2f\n",
              setting.name.c_str(), static_cast<unsigned long long>(setting.rows), setting.epsilon,
              100.0 * result.determined, result.least_privacy_share, result.most_privacy_share, 100.0 * result.coverage,
              100.0 * result.worst_coverage, 100.0 * result.naive_coverage, result.mean_width, result.naive_width,
              100.0 * result.prediction_coverage, result.mean_prediction_width, result.residual_ratio);
}

}  // namespace

int main(int argc, char** argv) {
  const auto streams = static_cast<std::uint64_t>(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 3000);
  std::printf("Coverage over %llu streams a line, delta = 1e-6; widths in box units\n",
              static_cast<unsigned long long>(streams));
  std::printf("%-30s %6s %5s %7s %8s %8s %10s %9s %10s %9s %9s %10s %9s %8s\n", "setting", "rows", "eps", "determ.",
              "priv/smp", "to", "coverage", "worst", "naive", "width", "naive", "predict", "width", "s2 ratio");
  for (const CoverageSetting& setting : coverage_settings()) {
    print(setting, measure_coverage(setting, streams, 1));
    std::fflush(stdout);
  }

  std::printf(
      "\nFrom too few rows to enough: share of coefficients determined, and share with an interval that misses\n");
  std::printf("%-30s %6s %8s %8s\n", "setting", "rows", "determ.", "missed");
  for (const CoverageSetting& setting : limit_settings()) {
    const CoverageResult result = measure_coverage(setting, streams, 1);
    std::printf("%-30s %6llu %7.1f%% %7.2f%%\n", setting.name.c_str(), static_cast<unsigned long long>(setting.rows),
                100.0 * result.determined, 100.0 * result.missed);
    std::fflush(stdout);
  }
  return 0;
}
