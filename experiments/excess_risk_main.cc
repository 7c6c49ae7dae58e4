// excess_risk [STREAMS]: default profile against profile `paper` on the same streams, then L1 against L2 on a sparse
// problem.
#include <cstdio>
#include <cstdlib>

#include "excess_risk.h"

int main(int argc, char** argv) {
  using namespace rivulet;
  using namespace rivulet::experiments;
  const int streams = argc > 1 ? std::atoi(argv[1]) : 20;
  const Budget budget{1.0, 1e-6};
  std::printf(
      "Excess risk, d = 10, T = 2^17, a release after every row, epsilon = 1, delta = 1e-6, L2 ball; mean of %d "
      "streams\n",
      streams);
  std::printf("%10s %12s %12s %12s %8s   %12s %12s\n", "step", "trivial", "paper", "tight", "ratio", "bound paper",
              "bound tight");
  std::vector<RiskAtStep> tight, paper;
  for (int seed = 1; seed <= streams; ++seed) {
    std::fprintf(stderr, "\rstream %d of %d", seed, streams);
    const auto t = measure_isotropic(Profile::tight, 10, 1 << 17, budget, 0.05, static_cast<std::uint64_t>(seed));
    const auto p = measure_isotropic(Profile::paper, 10, 1 << 17, budget, 0.05, static_cast<std::uint64_t>(seed));
    tight.resize(t.size());
    paper.resize(p.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
      tight[i].step = t[i].step;
      tight[i].excess += t[i].excess / streams;
      tight[i].trivial += t[i].trivial / streams;
      tight[i].bound += t[i].bound / streams;
      paper[i].excess += p[i].excess / streams;
      paper[i].bound += p[i].bound / streams;
    }
  }
  std::fprintf(stderr, "\r                    \r");
  for (std::size_t i = 0; i < tight.size(); ++i) {
    std::printf("%10llu %12.2f %12.2f %12.3f %8.1f   %12.1f %12.1f\n", static_cast<unsigned long long>(tight[i].step),
                tight[i].trivial, paper[i].excess, tight[i].excess, paper[i].excess / tight[i].excess, paper[i].bound,
                tight[i].bound);
  }
  std::printf("\nSparse problem, d = 1000, 2^17 rows, a release every 1024, epsilon = 1, delta = 1e-6\n");
  std::printf("%12s %12s %12s %12s\n", "constraint", "excess", "trivial", "bound");
  for (const char* constraint : {"l1:3", "l2:1.342"}) {
    const RiskAtStep risk = measure_sparse(constraint, 1000, 1 << 17, 1024, budget, 0.05, 1);
    std::printf("%12s %12.2f %12.2f %12.1f\n", constraint, risk.excess, risk.trivial, risk.bound);
  }
  return 0;
}
