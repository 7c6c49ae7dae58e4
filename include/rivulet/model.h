// A published model: private by construction, free to print, store and share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rivulet/sparse_row.h"

namespace rivulet {

// Standard deviations of the privacy noise in one released prefix sum, in unit-ball units (||x|| <= 1, |y| <= 1).
struct NoiseLevel {
  double gram_diagonal = 0.0;     // entries of sum x x^T on the diagonal
  double gram_offdiagonal = 0.0;  // entries of sum x x^T above it
  double cross = 0.0;             // entries of sum x y
};

struct Coefficient {
  std::string name;
  double value = 0.0;        // change of the target, in the target's units, for one unit of the feature
  std::size_t position = 0;  // which of the supplied values it belongs to
};

struct Model {
  std::uint64_t step = 0;  // releases so far, this one included
  std::uint64_t rows = 0;  // rows seen so far, unusable ones included
  // In the user's units, positions ascending, intercept not among them. All of them, or with a sketch those that are
  // not 0.
  std::vector<Coefficient> coefficients;
  std::size_t width = 0;   // supplied values of a row
  double intercept = 0.0;  // 0 when the schema has none
  NoiseLevel noise;
  std::vector<double> theta;  // the solution in unit-ball units, one per schema coordinate
  bool not_private = false;   // made with an insecure seed: anyone can remove the noise

  // Prediction in the target's units for one row of supplied values (schema order, `width` of them). Throws
  // RequestError on another number of values, or a sparse row that is none.
  [[nodiscard]] double predict(const std::vector<double>& values) const;
  [[nodiscard]] double predict(const SparseRow& row) const;
};

// The private sufficient statistics of everything seen so far: public by construction, so any number of models may be
// fitted to them, with any constraint, at no further privacy cost.

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
