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

}  // namespace rivulet
