// erm_table1 [FOLDER [STREAMS]]: the first rows of the paper's Table 1 by experiment. Excess risk at the end of linear
// regression streams against T and d: the batch solver at every step, PrivIncERM with its three rules for tau, and
// PrivIncReg1. Writes erm_table1.csv, erm_table1_t.svg and erm_table1_d.svg to FOLDER.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "erm_measure.h"
#include "plot_svg.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr std::uint64_t kRows = 1 << 12;
constexpr std::size_t kDimension = 5;
constexpr double kEpsilon = 2.0;
constexpr double kRidge = 0.5;

struct Contender {
  const char* name;
  double rows_exponent;       // of the paper's bound in T
  double dimension_exponent;  // and in d; of the width rule for an L2 ball, w(K) = sqrt(d)
  std::function<ErmOutcome(ErmSetting)> measure;
};

std::vector<Contender> contenders() {
  using Rule = PrivIncErm::TauRule;
  return {
      {"naive", 0.5, 0.5,
       [](ErmSetting s) {
         s.mechanism = PrivIncErm::Mechanism::naive;
         return measure_regression(s);
       }},
      {"naive, last call", 0.5, 0.5,
       [](ErmSetting s) {
         s.mechanism = PrivIncErm::Mechanism::naive;
         s.averaged = false;
         return measure_regression(s);
       }},
      {"PrivIncERM, convex", 1.0 / 3.0, 1.0 / 3.0,
       [](ErmSetting s) {
         s.rule = Rule::convex;
         return measure_regression(s);
       }},
      {"PrivIncERM, convex, last call", 1.0 / 3.0, 1.0 / 3.0,
       [](ErmSetting s) {
         s.rule = Rule::convex;
         s.averaged = false;
         return measure_regression(s);
       }},
      {"PrivIncERM, strongly convex", 0.0, 0.5,
       [](ErmSetting s) {
         s.rule = Rule::strongly_convex;
         s.ridge = kRidge;
         return measure_regression(s);
       }},
      {"PrivIncERM, width", 0.5, 0.25,
       [](ErmSetting s) {
         s.rule = Rule::width;
         return measure_regression(s);
       }},
      {"PrivIncReg1", 0.0, 0.5, [](const ErmSetting& s) { return measure_priv_inc_reg1(s); }},
  };
}

struct Row {
  double excess = 0.0;
  double error = 0.0;
  ErmOutcome last;
};

Row mean(const Contender& contender, ErmSetting setting, int streams) {
  Row row;
  double squares = 0.0;
  for (int stream = 1; stream <= streams; ++stream) {
    setting.seed = static_cast<std::uint64_t>(stream);
    row.last = contender.measure(setting);
    row.excess += row.last.excess / streams;
    squares += row.last.excess * row.last.excess / streams;
  }
  row.error = std::sqrt(std::max(0.0, squares - row.excess * row.excess) / std::max(1, streams - 1));
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const int streams = argc > 2 ? std::max(1, std::atoi(argv[2])) : 4;
  std::printf(
      "Linear regression, L2 ball, epsilon = %g, delta = 1e-6, a step for every row; T = %llu and d = %zu unless "
      "swept; ridge %g where strongly convex; means of %d streams\n",
      kEpsilon, static_cast<unsigned long long>(kRows), kDimension, kRidge, streams);
  std::string csv = "sweep,mechanism,t,d,streams,excess,standard_error,trivial,theorem,tau,calls\n";
  for (const bool by_rows : {true, false}) {
    Plot plot{"Excess risk at the end of the stream, epsilon = 2",
              by_rows ? "rows T" : "dimension d",
              "excess risk (sum of squares)",
              {}};
    const std::vector<double> values = by_rows ? std::vector<double>{1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14}
                                               : std::vector<double>{2, 4, 8, 16, 32};
    for (const Contender& contender : contenders()) {
      PlotLine line{contender.name, {}, false};
      for (const double value : values) {
        ErmSetting setting{.rows = kRows, .dimension = kDimension, .budget = {kEpsilon, 1e-6}};
        if (by_rows) {
          setting.rows = static_cast<std::uint64_t>(value);
        } else {
          setting.dimension = static_cast<std::size_t>(value);
        }
        const Row row = mean(contender, setting, streams);
        line.points.emplace_back(value, row.excess);
        char text[240];
        std::snprintf(text, sizeof text, "%s,\"%s\",%llu,%zu,%d,%.3f,%.3f,%.1f,%.1f,%llu,%llu\n", by_rows ? "T" : "d",
                      contender.name, static_cast<unsigned long long>(setting.rows), setting.dimension, streams,
                      row.excess, row.error, row.last.trivial, row.last.theorem,
                      static_cast<unsigned long long>(row.last.tau), static_cast<unsigned long long>(row.last.calls));
        csv += text;
        std::fprintf(stderr, "%s", text);
      }
      std::printf("%-32s in %s: slope %5.2f, paper %5.2f; excess %9.1f to %9.1f\n", contender.name, by_rows ? "T" : "d",
                  log_log_slope(line.points), by_rows ? contender.rows_exponent : contender.dimension_exponent,
                  line.points.front().second, line.points.back().second);
      std::fflush(stdout);
      plot.lines.push_back(line);
    }
    write_text(folder + (by_rows ? "/erm_table1_t.svg" : "/erm_table1_d.svg"), svg(plot));
  }
  write_text(folder + "/erm_table1.csv", csv);
  return 0;
}
