// What crosses the wall, and nothing else: noisy integers. Everything computed from them is post-processing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/int128.h"

namespace rivulet {

// One noisy vector, in noise-lattice units, laid out as privacy::ReleaseLayout says. For trees, the node of `level`
// that closes at this step; for the BLT strategy the encoded value itself (level 0).
struct NoisyVector {
  unsigned level = 0;
  std::vector<Int128> values;
};

struct NoisyStep {
  std::uint64_t step = 0;  // from 1
  std::uint64_t rows = 0;  // rows in all steps so far: public, because neighbouring streams have equally many rows
  std::vector<NoisyVector> vectors;  // by level, ascending
};

// Of PrivIncERM: a sum of clipped gradients with noise on every coordinate.
struct NoisyGradient {
  std::vector<Int128> values;  // in lattice units (privacy/gradient_plan.h)
  std::uint64_t rows = 0;      // in the sum
};

// Of PrivIncERM by output perturbation: a minimiser with noise on every coordinate.
struct NoisyMinimiser {
  std::vector<Int128> values;  // in units of MinimiserProblem::lattice_unit() (privacy/erm_minimiser.h)
  std::uint64_t rows = 0;      // that it was fitted to
};

}  // namespace rivulet
