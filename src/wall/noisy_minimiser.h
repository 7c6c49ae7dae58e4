// What leaves the kernel of PrivIncERM by output perturbation: a minimiser with noise on every coordinate.
#pragma once

#include <cstdint>
#include <vector>

#include "base/int128.h"

namespace rivulet {

struct NoisyMinimiser {
  std::vector<Int128> values;  // in units of MinimiserProblem::lattice_unit() (privacy/erm_minimiser.h)
  std::uint64_t rows = 0;      // that it was fitted to
};

}  // namespace rivulet
