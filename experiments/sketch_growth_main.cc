// sketch_growth [FOLDER [STREAMS]]: excess risk as the dimension grows at fixed sparsity. The sketched mechanism over
// an L1 ball stays flat where the full matrix over an L2 ball grows. Writes sketch_growth.csv and sketch_growth.svg to
// FOLDER.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "high_dimension.h"
#include "plot_svg.h"

namespace {

using namespace rivulet::experiments;

constexpr std::uint64_t kRows = 1 << 17;
constexpr std::size_t kLargestMatrix = 4000;  // larger ones take gigabytes

struct Mechanism {
  const char* name;
  const char* constraint;
  bool sketched;
};

constexpr Mechanism kMechanisms[] = {
    {"sketch m = 400 L1", "l1:3", true}, {"full matrix L1", "l1:3", false}, {"full matrix L2", "l2:1.342", false}};

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const int streams = argc > 2 ? std::max(1, std::atoi(argv[2])) : 8;
  Plot plot{"Excess risk, 10-sparse rows, 2^17 of them, epsilon = 1", "features d", "excess risk (sum of squares)", {}};
  std::string csv = "mechanism,d,streams,excess,standard_error,trivial\n";
  for (const Mechanism& mechanism : kMechanisms) {
    PlotLine line{mechanism.name, {}, false};
    for (const std::size_t d : {500, 1000, 2000, 4000, 8000, 16000, 32000, 64000}) {
      if (!mechanism.sketched && d > kLargestMatrix) continue;
      // A matrix takes minutes, and differs less from stream to stream.
      const int runs = !mechanism.sketched && d > 1000 ? std::min(streams, 2) : streams;
      double sum = 0.0;
      double squares = 0.0;
      double trivial = 0.0;
      for (int stream = 1; stream <= runs; ++stream) {
        std::fprintf(stderr, "\r%s, d = %zu, stream %d of %d          ", mechanism.name, d, stream, runs);
        HighDimensionSetting setting;
        setting.dimension = d;
        setting.constraint = mechanism.constraint;
        setting.rows = kRows;
        setting.zipf = 1.5;
        setting.seed = static_cast<std::uint64_t>(stream);
        if (mechanism.sketched) setting.sketch = 400;
        const HighDimensionOutcome outcome = measure_high_dimension(setting);
        sum += outcome.excess;
        squares += outcome.excess * outcome.excess;
        trivial += outcome.trivial / runs;
      }
      const double mean = sum / runs;
      const double error = runs > 1 ? std::sqrt(std::max(0.0, squares / runs - mean * mean) / (runs - 1)) : 0.0;
      char text[160];
      std::snprintf(text, sizeof text, "%s,%zu,%d,%.2f,%.2f,%.1f\n", mechanism.name, d, runs, mean, error, trivial);
      csv += text;
      std::fprintf(stderr, "\r                                                            \r");
      std::printf("%s", text);
      std::fflush(stdout);
      line.points.emplace_back(static_cast<double>(d), mean);
    }
    plot.lines.push_back(line);
  }
  write_text(folder + "/sketch_growth.csv", csv);
  write_text(folder + "/sketch_growth.svg", svg(plot));
  return 0;
}
