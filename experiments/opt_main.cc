// opt [--out FOLDER] [--streams N] [--quick]: what the loss of the best model, OPT, does to the excess over it.
// PrivIncReg1's bound does not mention OPT, PrivIncReg2's grows with its square root and its fourth root (Theorem 5.7).
// Sparse rows, targets with more and more noise. Writes opt.csv and opt.svg.
#include <cmath>
#include <cstdio>
#include <optional>

#include "experiment.h"
#include "high_dimension.h"
#include "plot_svg.h"

namespace {

using namespace rivulet::experiments;

constexpr std::uint64_t kRows = 1 << 16;
constexpr std::size_t kDimension = 1000;
constexpr std::size_t kSketch = 200;
constexpr double kNoises[] = {0.0, 0.05, 0.1, 0.2, 0.35, 0.5};
constexpr int kStreams = 6;

struct Contender {
  const char* name;
  bool sketched;
};

constexpr Contender kContenders[] = {{"PrivIncReg1", false}, {"PrivIncReg2", true}};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const int streams = arguments.streams ? arguments.streams : kStreams;
  std::string csv = "mechanism,epsilon,noise,opt,streams,excess,standard_error,trivial\n";
  Plot plot{"Excess risk against OPT, T = 2^16, d = 1000, m = 200",
            "OPT, the best model's loss",
            "excess risk (sum of squares)",
            {}};
  std::printf(
      "10-sparse rows, T = 2^16 with a release every 1024, d = %zu, m = %zu, L1 ball, delta = 1e-6; means of %d "
      "streams\n",
      kDimension, kSketch, streams);
  for (const double epsilon : {1.0, 8.0}) {
    for (const Contender& contender : kContenders) {
      PlotLine line{text("%s, epsilon = %g", contender.name, epsilon), {}};
      std::printf("\n%s, epsilon = %g\n%10s %10s %10s %10s\n", contender.name, epsilon, "OPT", "OPT / T", "excess",
                  "trivial");
      for (const double noise : kNoises) {
        Sample excess;
        Sample opt;
        Sample trivial;
        for (int stream = 1; stream <= streams; ++stream) {
          HighDimensionSetting setting;
          setting.dimension = arguments.quick ? 50 : kDimension;
          setting.rows = arguments.quick ? 1 << 11 : kRows;
          setting.constraint = "l1:1.5";
          setting.theta_l1 = 1.5;
          setting.noise = noise;
          setting.budget.epsilon = epsilon;
          setting.zipf = 1.5;
          setting.against_best = true;
          setting.seed = static_cast<std::uint64_t>(stream);
          if (contender.sketched) setting.sketch = arguments.quick ? 20 : kSketch;
          const HighDimensionOutcome outcome = measure_high_dimension(setting);
          excess.add(outcome.excess);
          opt.add(outcome.reference);
          trivial.add(outcome.trivial);
        }
        if (noise > 0.0) line.points.emplace_back(opt.mean(), excess.mean());
        csv += text("\"%s\",%g,%g,%.1f,%d,%.2f,%.2f,%.1f\n", contender.name, epsilon, noise, opt.mean(), streams,
                    excess.mean(), excess.standard_error(), trivial.mean());
        std::printf("%10.1f %10.4f %10.2f %10.1f\n", opt.mean(), opt.mean() / static_cast<double>(kRows), excess.mean(),
                    trivial.mean());
        std::fflush(stdout);
      }
      std::printf("slope in OPT %.2f; paper %s\n", log_log_slope(line.points),
                  contender.sketched ? "0.25 to 0.50" : "0");
      plot.lines.push_back(line);
    }
  }
  write_text(arguments.out + "/opt.csv", csv);
  write_text(arguments.out + "/opt.svg", svg(plot));
  return 0;
}
