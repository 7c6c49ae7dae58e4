// table1 [--out FOLDER] [--streams N] [--quick]: the paper's Table 1 by measurement. Excess risk at the end of linear
// regression streams against T, d and epsilon, with the slopes of log excess beside the exponents of the paper's
// bounds: the batch solver at every step, PrivIncERM with its three rules for tau and PrivIncReg1 on isotropic rows
// over an L2 ball; PrivIncReg1 and PrivIncReg2 on sparse rows over an L1 ball. Writes table1.csv, table1_slopes.csv and
// a figure for each sweep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "erm_measure.h"
#include "experiment.h"
#include "high_dimension.h"
#include "plot_svg.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr double kRidge = 0.5;
constexpr int kStreams = 4;

struct Point {
  std::uint64_t rows;
  std::size_t dimension;
  double epsilon;
};

struct Measured {
  double excess = 0.0;
  double trivial = 0.0;
};

struct Exponents {
  double rows;
  double dimension;
  double epsilon;
};

struct Contender {
  const char* name;
  Exponents paper;  // of the bound; of the width rule for an L2 ball, w(K) = sqrt(d)
  int repeats;      // times the streams: the cheap ones can afford more
  std::size_t most_dimensions;
  std::function<Measured(const Point&, std::uint64_t seed)> measure;
};

struct Rows {
  const char* name;  // of the CSV and the figures
  const char* title;
  Point centre;
  std::vector<double> rows;
  std::vector<double> dimensions;
  std::vector<double> epsilons;
  std::vector<Contender> contenders;
};

ErmSetting setting_at(const Point& point, std::uint64_t seed) {
  return {.rows = point.rows, .dimension = point.dimension, .budget = {point.epsilon, 1e-6}, .seed = seed};
}

Contender erm(const char* name, Exponents paper, PrivIncErm::Mechanism mechanism, PrivIncErm::TauRule rule,
              std::optional<bool> averaged) {
  return {name, paper, 1, SIZE_MAX, [=](const Point& point, std::uint64_t seed) {
            ErmSetting setting = setting_at(point, seed);
            setting.mechanism = mechanism;
            setting.rule = rule;
            setting.averaged = averaged;
            if (rule == PrivIncErm::TauRule::strongly_convex) setting.ridge = kRidge;
            const ErmOutcome outcome = measure_regression(setting);
            return Measured{outcome.excess, outcome.trivial};
          }};
}

Rows isotropic() {
  using Mechanism = PrivIncErm::Mechanism;
  using Rule = PrivIncErm::TauRule;
  const auto reg1 = [](const Point& point, std::uint64_t seed) {
    const ErmOutcome outcome = measure_priv_inc_reg1(setting_at(point, seed));
    return Measured{outcome.excess, outcome.trivial};
  };
  const double third = 1.0 / 3.0;
  return {"isotropic",
          "Excess risk, isotropic rows, L2 ball",
          {1 << 12, 5, 2.0},
          {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14},
          {2, 4, 8, 16, 32},
          {0.5, 1, 2, 4, 8},
          {erm("naive, last call", {0.5, 0.5, -1.0}, Mechanism::naive, Rule::convex, false),
           erm("naive", {0.5, 0.5, -1.0}, Mechanism::naive, Rule::convex, {}),
           erm("PrivIncERM, convex, last call", {third, third, -2.0 * third}, Mechanism::periodic, Rule::convex, false),
           erm("PrivIncERM, convex", {third, third, -2.0 * third}, Mechanism::periodic, Rule::convex, {}),
           erm("PrivIncERM, strongly convex", {0.0, 0.5, -1.0}, Mechanism::periodic, Rule::strongly_convex, {}),
           erm("PrivIncERM, width", {0.5, 0.25, -0.5}, Mechanism::periodic, Rule::width, {}),
           {"PrivIncReg1", {0.0, 0.5, -1.0}, 8, SIZE_MAX, reg1}}};
}

Rows sparse() {
  const auto setting_of = [](const Point& point, std::uint64_t seed) {
    HighDimensionSetting setting;
    setting.dimension = point.dimension;
    setting.rows = point.rows;
    setting.release_every = 256;
    setting.budget.epsilon = point.epsilon;
    setting.seed = seed;
    setting.zipf = 1.5;
    return setting;
  };
  const auto reg1 = [=](const Point& point, std::uint64_t seed) {
    const HighDimensionOutcome outcome = measure_high_dimension(setting_of(point, seed));
    return Measured{outcome.excess, outcome.trivial};
  };
  const auto reg2 = [=](const Point& point, std::uint64_t seed) {
    HighDimensionSetting setting = setting_of(point, seed);
    // The paper's m grows as T^(2/3); with its constant it would be larger than d here.
    setting.sketch = static_cast<std::size_t>(
        std::lround(400.0 * std::cbrt(std::pow(static_cast<double>(point.rows) / 131072.0, 2))));
    const HighDimensionOutcome outcome = measure_high_dimension(setting);
    return Measured{outcome.excess, outcome.trivial};
  };
  return {
      "sparse",
      "Excess risk, 10-sparse rows, L1 ball",
      {1 << 15, 500, 4.0},
      {1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17},
      {250, 500, 1000, 4000, 16000},
      {0.5, 1, 2, 4, 8},
      {{"PrivIncReg1", {0.0, 0.5, -1.0}, 1, 1000, reg1}, {"PrivIncReg2", {1.0 / 3.0, 0.0, -1.0}, 3, SIZE_MAX, reg2}}};
}

// Two small values of everything.
Rows shrunk(Rows rows) {
  rows.centre = {static_cast<std::uint64_t>(rows.rows[0]) / 4, static_cast<std::size_t>(rows.dimensions[0] / 5) + 2, 2};
  rows.rows = {rows.rows[0] / 4, rows.rows[0] / 2};
  rows.dimensions = {rows.dimensions[0] / 5 + 2, rows.dimensions[0] / 5 + 8};
  rows.epsilons = {1, 8};
  for (Contender& contender : rows.contenders) contender.repeats = 1;
  return rows;
}

enum class Swept { rows, dimension, epsilon };

struct Output {
  std::string csv = "rows,sweep,mechanism,t,d,epsilon,streams,excess,standard_error,trivial\n";
  std::string slopes = "rows,sweep,mechanism,slope,paper\n";
};

void sweep(const Rows& rows, Swept swept, const Arguments& arguments, int streams, Output& output) {
  const char* name = swept == Swept::rows ? "T" : swept == Swept::dimension ? "d" : "epsilon";
  const auto& values = swept == Swept::rows ? rows.rows : swept == Swept::dimension ? rows.dimensions : rows.epsilons;
  Plot plot{rows.title, swept == Swept::rows ? "rows T" : name, "excess risk (sum of squares)", {}};
  std::printf("\n%s; T = %llu, d = %zu, epsilon = %g but for %s\n", rows.title,
              static_cast<unsigned long long>(rows.centre.rows), rows.centre.dimension, rows.centre.epsilon, name);
  PlotLine ignoring{"ignoring the rows", {}, true};
  for (const Contender& contender : rows.contenders) {
    const bool last = &contender == &rows.contenders.back();
    PlotLine line{contender.name, {}};
    std::printf("%-31s", contender.name);
    for (const double value : values) {
      Point point = rows.centre;
      if (swept == Swept::rows) point.rows = static_cast<std::uint64_t>(value);
      if (swept == Swept::dimension) point.dimension = static_cast<std::size_t>(value);
      if (swept == Swept::epsilon) point.epsilon = value;
      if (point.dimension > contender.most_dimensions) continue;
      Sample excess;
      Sample trivial;
      for (int stream = 1; stream <= streams * contender.repeats; ++stream) {
        const Measured measured = contender.measure(point, static_cast<std::uint64_t>(stream));
        excess.add(measured.excess);
        trivial.add(measured.trivial);
      }
      line.points.emplace_back(value, excess.mean());
      if (last) ignoring.points.emplace_back(value, trivial.mean());
      output.csv += text("%s,%s,\"%s\",%llu,%zu,%g,%zu,%.3f,%.3f,%.1f\n", rows.name, name, contender.name,
                         static_cast<unsigned long long>(point.rows), point.dimension, point.epsilon, excess.size(),
                         excess.mean(), excess.standard_error(), trivial.mean());
      std::printf(" %8.1f", excess.mean());
      std::fflush(stdout);
    }
    const double paper = swept == Swept::rows        ? contender.paper.rows
                         : swept == Swept::dimension ? contender.paper.dimension
                                                     : contender.paper.epsilon;
    const double slope = log_log_slope(line.points);
    std::printf("   slope %5.2f, paper %5.2f\n", slope, paper);
    output.slopes += text("%s,%s,\"%s\",%.2f,%.2f\n", rows.name, name, contender.name, slope, paper);
    plot.lines.push_back(line);
  }
  plot.lines.push_back(ignoring);
  std::printf("%-31s", ignoring.name.c_str());
  for (const auto& point : ignoring.points) std::printf(" %8.1f", point.second);
  std::printf("\n");
  write_text(arguments.out + "/table1_" + rows.name + "_" + name + ".svg", svg(plot));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const int streams = arguments.streams ? arguments.streams : kStreams;
  std::printf("Known horizon, delta = 1e-6; ridge %g where strongly convex; %d streams, more where cheap\n", kRidge,
              streams);
  Output output;
  for (const Rows& whole : {isotropic(), sparse()}) {
    const Rows rows = arguments.quick ? shrunk(whole) : whole;
    for (const Swept swept : {Swept::rows, Swept::dimension, Swept::epsilon}) {
      sweep(rows, swept, arguments, streams, output);
    }
  }
  write_text(arguments.out + "/table1.csv", output.csv);
  write_text(arguments.out + "/table1_slopes.csv", output.slopes);
  return 0;
}
