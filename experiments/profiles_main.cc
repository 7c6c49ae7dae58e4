// profiles [--out FOLDER] [--streams N] [--quick]: what the paper's literal constants cost. Excess risk of the default
// profile and of profile `paper` on the same streams, and of the paper's noise with the default solver between them.
// Writes profiles.csv and profiles.svg.
#include <cstdio>

#include "excess_risk.h"
#include "experiment.h"
#include "plot_svg.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr std::uint64_t kSteps = 1 << 17;
constexpr int kStreams = 20;
constexpr int kOtherStreams = 3;  // of the settings that are not the headline

struct Contender {
  const char* name;
  Profile profile;
  Solver solver;
};

constexpr Contender kContenders[] = {
    {"paper", Profile::paper, Solver::by_profile},
    {"paper's noise, default solver", Profile::paper, Solver::fast},
    {"default", Profile::tight, Solver::by_profile},
};

struct Setting {
  std::size_t dimension;
  double epsilon;  // profile `paper` promises nothing above 1
};

constexpr Setting kSettings[] = {{10, 1.0}, {10, 0.25}, {3, 1.0}, {30, 1.0}};

struct Measured {
  std::vector<std::uint64_t> steps;
  std::vector<Sample> excess[std::size(kContenders)];
  std::vector<Sample> trivial;
};

Measured measure(const Setting& setting, std::uint64_t steps, int streams) {
  Measured measured;
  for (int stream = 1; stream <= streams; ++stream) {
    for (std::size_t c = 0; c < std::size(kContenders); ++c) {
      std::fprintf(stderr, "\rd = %zu, epsilon = %g, stream %d of %d  ", setting.dimension, setting.epsilon, stream,
                   streams);
      const auto risks = measure_isotropic(kContenders[c].profile, setting.dimension, steps, {setting.epsilon, 1e-6},
                                           0.05, static_cast<std::uint64_t>(stream), kContenders[c].solver);
      measured.excess[c].resize(risks.size());
      measured.trivial.resize(risks.size());
      measured.steps.resize(risks.size());
      for (std::size_t i = 0; i < risks.size(); ++i) {
        measured.steps[i] = risks[i].step;
        measured.excess[c][i].add(risks[i].excess);
        if (c == 0) measured.trivial[i].add(risks[i].trivial);
      }
    }
  }
  std::fprintf(stderr, "\r                                            \r");
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  std::string csv = "d,epsilon,t,streams,profile,excess,standard_error,trivial,ratio_to_default\n";
  std::printf("Excess risk, a release after every row, T = 2^17 promised, delta = 1e-6, L2 ball of radius 1\n");
  for (const Setting& setting : kSettings) {
    const bool headline = &setting == &kSettings[0];
    const int streams = arguments.streams ? arguments.streams : headline ? kStreams : kOtherStreams;
    const Measured measured = measure(setting, arguments.quick ? 1 << 10 : kSteps, streams);
    std::printf("\nd = %zu, epsilon = %g; means of %d streams\n%10s %10s %10s %22s %10s %8s\n", setting.dimension,
                setting.epsilon, streams, "step", "trivial", "paper", "its noise, our solver", "default", "ratio");
    Plot plot{"Excess risk, d = 10, epsilon = 1", "rows t", "excess risk (sum of squares)", {}};
    for (const Contender& contender : kContenders) plot.lines.push_back({contender.name, {}});
    plot.lines.push_back({"ignoring the rows", {}, true});
    for (std::size_t i = 0; i < measured.steps.size(); ++i) {
      const double best = measured.excess[2][i].mean();
      std::printf("%10llu %10.1f %10.1f %22.1f %10.2f %8.1f\n", static_cast<unsigned long long>(measured.steps[i]),
                  measured.trivial[i].mean(), measured.excess[0][i].mean(), measured.excess[1][i].mean(), best,
                  measured.excess[0][i].mean() / best);
      for (std::size_t c = 0; c < std::size(kContenders); ++c) {
        const Sample& sample = measured.excess[c][i];
        plot.lines[c].points.emplace_back(static_cast<double>(measured.steps[i]), sample.mean());
        csv += text("%zu,%g,%llu,%d,\"%s\",%.3f,%.3f,%.2f,%.2f\n", setting.dimension, setting.epsilon,
                    static_cast<unsigned long long>(measured.steps[i]), streams, kContenders[c].name, sample.mean(),
                    sample.standard_error(), measured.trivial[i].mean(), sample.mean() / best);
      }
      plot.lines.back().points.emplace_back(static_cast<double>(measured.steps[i]), measured.trivial[i].mean());
    }
    std::fflush(stdout);
    if (headline) write_text(arguments.out + "/profiles.svg", svg(plot));
  }
  write_text(arguments.out + "/profiles.csv", csv);
  return 0;
}
