#include "rivulet/model.h"

#include "rivulet/error.h"

namespace rivulet {

double Model::predict(const std::vector<double>& values) const {
  if (values.size() != coefficients.size()) {
    throw RequestError("values", "a row of " + std::to_string(values.size()) + " values was given; the model has " +
                                     std::to_string(coefficients.size()) + " coefficients");
  }
  double prediction = intercept;
  for (std::size_t i = 0; i < values.size(); ++i) prediction += coefficients[i].value * values[i];
  return prediction;
}

}  // namespace rivulet
