// What the paper's literal constants cost: mean excess risk of profile `paper` and of the default on the same streams,
// d = 10, epsilon = 1, delta = 1e-6, 2^17 rows with a release after each.
//
//   build/release/excess_risk_bench [--json FILE] [--quick] [STREAMS]
#include <cstdlib>

#include "excess_risk.h"
#include "figures.h"

int main(int argc, char** argv) {
  using namespace rivulet;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string json = bench::take_option(arguments, "--json");
  const bool quick = bench::take_flag(arguments, "--quick");
  const int streams = arguments.empty() ? (quick ? 1 : 20) : std::atoi(arguments[0].c_str());
  if (arguments.size() > 1 || streams < 1) {
    std::fprintf(stderr, "usage: excess_risk_bench [--json FILE] [--quick] [STREAMS]\n");
    return 2;
  }
  const std::uint64_t rows = quick ? 1 << 10 : 1 << 17;
  const auto mean_excess = [&](Profile profile) {
    double total = 0.0;
    for (int stream = 1; stream <= streams; ++stream) {
      const auto seed = static_cast<std::uint64_t>(stream);
      total += experiments::measure_isotropic(profile, 10, rows, {1.0, 1e-6}, 0.05, seed).back().excess;
    }
    return total / streams;
  };
  const double paper = mean_excess(Profile::paper);
  const double tight = mean_excess(Profile::tight);
  bench::Figures figures;
  figures.add("excess_risk/paper", paper);
  figures.add("excess_risk/tight", tight);
  std::printf("excess risk, d = 10, %llu rows, %d streams: profile paper %.1f, the default %.2f\n",
              static_cast<unsigned long long>(rows), streams, paper, tight);
  return figures.write(json) ? 0 : 1;
}
