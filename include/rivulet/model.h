// A published model: private by construction, free to print, store and share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rivulet {

// Standard deviations of the privacy noise in one released prefix sum, in unit-ball units (||x|| <= 1, |y| <= 1).
struct NoiseLevel {
  double gram_diagonal = 0.0;     // entries of sum x x^T on the diagonal
  double gram_offdiagonal = 0.0;  // entries of sum x x^T above it
  double cross = 0.0;             // entries of sum x y
};

struct Coefficient {
  std::string name;
  double value = 0.0;  // change of the target, in the target's units, for one unit of the feature
};

struct Model {
  std::uint64_t step = 0;                 // releases so far, this one included
  std::uint64_t rows = 0;                 // rows seen so far, unusable ones included
  std::vector<Coefficient> coefficients;  // in the user's units, intercept not among them
  double intercept = 0.0;                 // 0 when the schema has none
  NoiseLevel noise;
  std::vector<double> theta;  // the solution in unit-ball units, one per schema coordinate
  bool not_private = false;   // made with an insecure seed: anyone can remove the noise

  // Prediction in the target's units for one row of supplied values (schema order, row_width() of them).
  [[nodiscard]] double predict(const std::vector<double>& values) const;
};

}  // namespace rivulet
