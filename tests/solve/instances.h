// Random least-squares instances for the solver tests: definite, nearly singular and indefinite.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "solve/quadratic.h"

namespace rivulet::solve {

struct Instance {
  std::size_t dimension = 0;
  std::vector<double> gram;
  std::vector<double> cross;

  [[nodiscard]] Quadratic quadratic() const { return {dimension, gram, cross}; }
};

// Sums over `rows` rows of norm 1 with responses from a sparse model, coordinates weighted 1 down to 1/spread, plus
// symmetric Gaussian noise (sigma on the diagonal, sigma/sqrt(2) off it, sigma on the cross moments).
inline Instance random_instance(std::mt19937_64& generator, std::size_t dimension, int rows, double spread,
                                double sigma) {
  std::normal_distribution<double> normal;
  Instance instance{dimension, std::vector<double>(dimension * dimension), std::vector<double>(dimension)};
  std::vector<double> model(dimension);
  for (std::size_t i = 0; i < dimension; i += 1 + i / 2) model[i] = normal(generator);
  std::vector<double> x(dimension);
  for (int row = 0; row < rows; ++row) {
    double squares = 0.0;
    for (std::size_t i = 0; i < dimension; ++i) {
      const double position = dimension > 1 ? static_cast<double>(i) / static_cast<double>(dimension - 1) : 0.0;
      x[i] = normal(generator) * std::pow(spread, -position);
      squares += x[i] * x[i];
    }
    double y = 0.1 * normal(generator);
    for (std::size_t i = 0; i < dimension; ++i) {
      x[i] /= std::sqrt(squares);
      y += x[i] * model[i];
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) instance.gram[i * dimension + j] += x[i] * x[j];
      instance.cross[i] += x[i] * y;
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    instance.cross[i] += sigma * normal(generator);
    for (std::size_t j = i; j < dimension; ++j) {
      const double noise = normal(generator) * (i == j ? sigma : sigma / std::sqrt(2.0));
      instance.gram[i * dimension + j] += noise;
      if (i != j) instance.gram[j * dimension + i] += noise;
    }
  }
  return instance;
}

}  // namespace rivulet::solve
