// Matrices as tests want them: small settings of both kinds, and entries one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sketch/embedding.h"

namespace rivulet::sketch {

inline EmbeddingSettings gaussian(std::size_t rows, std::size_t columns, std::uint64_t seed = 1) {
  return {.kind = EmbeddingKind::gaussian, .rows = rows, .columns = columns, .seed = seed};
}

inline EmbeddingSettings sparse_sign(std::size_t rows, std::size_t columns, unsigned weight, std::uint64_t seed = 1) {
  return {.rows = rows, .columns = columns, .column_weight = weight, .seed = seed};
}

inline std::vector<double> column_of(const LinearMap& map, std::size_t column) {
  std::vector<double> entries(map.rows(), 0.0);
  map.add_column(column, 1.0, entries);
  return entries;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline std::vector<double> normal_vector(std::size_t size, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  for (double& value : values) value = normal(random);
  return values;
}

}  // namespace rivulet::sketch
