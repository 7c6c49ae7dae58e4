// The private sufficient statistics of everything seen so far: public by construction, so any number of models may be
// fitted to them, with any constraint, at no further privacy cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rivulet/model.h"

namespace rivulet {

// Estimates in unit-ball units (||x|| <= 1, |y| <= 1), each with the noise stated. Nothing forces the Gram matrix to be
// positive semi-definite: it carries noise.
struct Statistics {
  std::uint64_t step = 0;
  std::uint64_t rows = 0;
  std::size_t dimension = 0;
  std::vector<double> gram;        // sum x x^T, dense and symmetric
  std::vector<double> cross;       // sum x y
  double target_square = 0.0;      // sum y^2; only when has_target_square
  bool has_target_square = false;  // profile `paper` does not release it
  double target_square_stddev = 0.0;
  NoiseLevel noise;
  bool not_private = false;  // made with an insecure seed: anyone can remove the noise
};

}  // namespace rivulet
