// What leaves the kernel of PrivIncERM: a sum of clipped gradients with noise on every coordinate.
#pragma once

#include <cstdint>
#include <vector>

#include "base/int128.h"

namespace rivulet {

struct NoisyGradient {
  std::vector<Int128> values;  // in lattice units (privacy/gradient_plan.h)
  std::uint64_t rows = 0;      // in the sum
};

}  // namespace rivulet
