#include "rivulet/model.h"

#include "rivulet/error.h"

namespace rivulet {

double Model::predict(const std::vector<double>& values) const {
  if (values.size() != width) {
    throw RequestError("values", "a row of " + std::to_string(values.size()) + " values was given; the model has " +
                                     std::to_string(width));
  }
  double prediction = intercept;
  for (const Coefficient& coefficient : coefficients) prediction += coefficient.value * values[coefficient.position];
  return prediction;
}

double Model::predict(const SparseRow& row) const {
  if (row.positions.size() != row.values.size()) {
    throw RequestError("values", std::to_string(row.values.size()) + " values for " +
                                     std::to_string(row.positions.size()) + " positions");
  }
  double prediction = intercept;
  auto coefficient = coefficients.begin();
  for (std::size_t i = 0; i < row.positions.size(); ++i) {
    const std::size_t position = row.positions[i];
    if (position >= width || (i > 0 && position <= row.positions[i - 1])) {
      throw RequestError("values", "the positions do not ascend from 0 to " + std::to_string(width) + " at most");
    }
    while (coefficient != coefficients.end() && coefficient->position < position) ++coefficient;
    if (coefficient == coefficients.end()) continue;
    if (coefficient->position == position) prediction += coefficient->value * row.values[i];
  }
  return prediction;
}

}  // namespace rivulet
