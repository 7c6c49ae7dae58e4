// erm_rates [STREAMS]: how PrivIncERM's excess risk grows with the rows, the dimension and 1 / epsilon, against the
// exponents of Theorem 3.1, part 1: (T d)^(1/3) / epsilon^(2/3). On hard streams, made so that the theorem is tight,
// and on plain regression streams, where less is to be feared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "erm_measure.h"

namespace {

using namespace rivulet::experiments;

using Measure = std::function<ErmOutcome(const ErmSetting&)>;

struct Sweep {
  const char* name;
  double exponent;  // the theorem's
  std::vector<double> values;
  void (*set)(ErmSetting&, double);
};

void run(const char* what, const Measure& measure, const Sweep& sweep, int streams) {
  std::vector<std::pair<double, double>> points;
  std::printf("\n%s, %s\n%12s %12s %12s %12s %12s %8s %8s\n", what, sweep.name, sweep.name, "excess", "terms",
              "theorem", "trivial", "tau", "calls");
  for (const double value : sweep.values) {
    ErmSetting setting{.rows = 1 << 14, .dimension = 8, .budget = {2.0, 1e-6}};
    sweep.set(setting, value);
    const ErmOutcome mean = mean_outcome(measure, setting, streams);
    std::printf("%12g %12.2f %12.2f %12.0f %12.2f %8llu %8llu\n", value, mean.excess, mean.terms, mean.theorem,
                mean.trivial, static_cast<unsigned long long>(mean.tau), static_cast<unsigned long long>(mean.calls));
    std::fflush(stdout);
    points.emplace_back(value, mean.excess);
  }
  std::printf("slope %.2f, theorem %.2f\n", log_log_slope(points), sweep.exponent);
}

}  // namespace

int main(int argc, char** argv) {
  const int streams = argc > 1 ? std::max(1, std::atoi(argv[1])) : 8;
  const Sweep sweeps[] = {
      {"T",
       1.0 / 3.0,
       {1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16},
       [](ErmSetting& s, double v) { s.rows = static_cast<std::uint64_t>(v); }},
      {"d", 1.0 / 3.0, {2, 4, 8, 16, 32}, [](ErmSetting& s, double v) { s.dimension = static_cast<std::size_t>(v); }},
      {"epsilon", -2.0 / 3.0, {0.5, 1, 2, 4, 8}, [](ErmSetting& s, double v) { s.budget.epsilon = v; }},
  };
  std::printf(
      "PrivIncERM over an L2 ball, T = 2^14, d = 8, epsilon = 2 unless swept, delta = 1e-6; means of %d streams\n",
      streams);
  for (const Sweep& sweep : sweeps) {
    run("hard streams", measure_hard_stream, sweep, 4 * streams);
    run(
        "hard streams, last call published",
        [](ErmSetting s) {
          s.averaged = false;
          return measure_hard_stream(s);
        },
        sweep, 4 * streams);
    run("regression streams", measure_regression, sweep, streams);
  }
  return 0;
}
