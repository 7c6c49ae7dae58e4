// geometry [--out FOLDER] [--streams N] [--quick]: excess risk as the dimension grows at fixed sparsity. Over an L1
// ball it hardly grows, with the full matrix and with a sketch of it; over the smallest L2 ball that holds the truth it
// does. Writes geometry.csv and geometry.svg.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.h"
#include "high_dimension.h"
#include "plot_svg.h"

namespace {

using namespace rivulet::experiments;

constexpr std::size_t kLargestMatrix = 2000;  // larger ones take minutes a stream
constexpr int kStreams = 6;

struct Mechanism {
  const char* name;
  const char* constraint;
  bool sketched;
};

constexpr Mechanism kMechanisms[] = {
    {"sketch m = 400 L1", "l1:3", true}, {"full matrix L1", "l1:3", false}, {"full matrix L2", "l2:1.342", false}};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const int streams = arguments.streams ? arguments.streams : kStreams;
  Plot plot{"Excess risk, 10-sparse rows, 2^17 of them, epsilon = 1", "features d", "excess risk (sum of squares)", {}};
  PlotLine ignoring{"ignoring the rows", {}, true};
  std::string csv = "mechanism,d,streams,excess,standard_error,trivial\n";
  std::printf("10-sparse rows, 2^17 of them, a release every 1024, epsilon = 1, delta = 1e-6; up to %d streams\n",
              streams);
  const std::vector<std::size_t> dimensions =
      arguments.quick ? std::vector<std::size_t>{50, 100}
                      : std::vector<std::size_t>{500, 1000, 2000, 4000, 8000, 16000, 32000, 64000};
  for (const Mechanism& mechanism : kMechanisms) {
    PlotLine line{mechanism.name, {}};
    std::printf("%-18s", mechanism.name);
    for (const std::size_t d : dimensions) {
      if (!mechanism.sketched && d > kLargestMatrix) continue;
      // Large matrices take long, and differ less from stream to stream.
      const int runs = !mechanism.sketched && d > 500 ? std::min(streams, 2) : streams;
      Sample excess;
      Sample trivial;
      for (int stream = 1; stream <= runs; ++stream) {
        HighDimensionSetting setting;
        setting.dimension = d;
        setting.constraint = mechanism.constraint;
        setting.zipf = 1.5;
        setting.seed = static_cast<std::uint64_t>(stream);
        if (arguments.quick) setting.rows = 1 << 11;
        if (mechanism.sketched) setting.sketch = arguments.quick ? 20 : 400;
        const HighDimensionOutcome outcome = measure_high_dimension(setting);
        excess.add(outcome.excess);
        trivial.add(outcome.trivial);
      }
      csv += text("%s,%zu,%d,%.2f,%.2f,%.1f\n", mechanism.name, d, runs, excess.mean(), excess.standard_error(),
                  trivial.mean());
      std::printf(" %8.1f", excess.mean());
      std::fflush(stdout);
      line.points.emplace_back(static_cast<double>(d), excess.mean());
      if (mechanism.sketched) ignoring.points.emplace_back(static_cast<double>(d), trivial.mean());
    }
    std::printf("   slope in d %.2f\n", log_log_slope(line.points));
    plot.lines.push_back(line);
  }
  plot.lines.push_back(ignoring);
  write_text(arguments.out + "/geometry.csv", csv);
  write_text(arguments.out + "/geometry.svg", svg(plot));
  return 0;
}
