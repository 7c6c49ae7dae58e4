// The paper's excess empirical risk, measured: profiles and constraint sets on the same streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rivulet/priv_inc_reg1.h"

namespace rivulet::experiments {

struct RiskAtStep {
  std::uint64_t step = 0;
  double excess = 0.0;  // of the private model
  double bound = 0.0;   // stated for it, failing with probability at most beta at this step; 0 with another solver than
                        // the profile's
  double trivial = 0.0;  // excess of the model that ignores the data (theta = 0)
};

// One isotropic stream of `steps` rows in `dimension` dimensions, a release after every row, constraint l2:1, checked
// at every power of two from 2^10 and at the end.
std::vector<RiskAtStep> measure_isotropic(Profile profile, std::size_t dimension, std::uint64_t steps,
                                          const Budget& budget, double beta, std::uint64_t seed,
                                          Solver solver = Solver::by_profile);

// One sparse stream (SparseStream, ten active features a row, coefficients 3/5 on five of them: L1 norm 3, L2
// norm 1.342) of `rows` rows, released every `release_every`, fitted over `constraint`; the last release.
RiskAtStep measure_sparse(const std::string& constraint, std::size_t dimension, std::uint64_t rows,
                          std::uint64_t release_every, const Budget& budget, double beta, std::uint64_t seed);

}  // namespace rivulet::experiments
