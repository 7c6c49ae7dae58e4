#include <gtest/gtest.h>

#include <cstdio>

#include "excess_risk.h"

namespace rivulet::experiments {
namespace {

// docs/results has 400 for d = 10 at 2^16 rows, 1200 at 2^17. excess_risk_test does the whole of it.
TEST(Profiles, TheDefaultHasLessThanAHundredthOfThePapersExcessRiskAndMostOfThatIsTheNoise) {
  double tight = 0.0;
  double paper = 0.0;
  double paper_noise = 0.0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const auto last = [&](Profile profile, Solver solver) {
      return measure_isotropic(profile, 10, 1 << 16, {1.0, 1e-6}, 0.05, seed, solver).back().excess;
    };
    tight += last(Profile::tight, Solver::by_profile);
    paper += last(Profile::paper, Solver::by_profile);
    paper_noise += last(Profile::paper, Solver::fast);
  }
  std::printf("excess risk: paper %.1f, its noise with the default solver %.1f, default %.2f\n", paper / 2.0,
              paper_noise / 2.0, tight / 2.0);
  EXPECT_GE(paper, 100.0 * tight);
  EXPECT_GE(paper_noise, 10.0 * tight);
  EXPECT_GE(paper, 2.0 * paper_noise);
}

}  // namespace
}  // namespace rivulet::experiments
