// Small matrices for the tests of the solvers over Phi K.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "base/linear_map.h"

namespace rivulet::sketch {

// Stored column by column.
class DenseMap final : public LinearMap {
 public:
  DenseMap(std::size_t rows, std::size_t columns) : rows_(rows), entries_(rows * columns, 0.0) {}

  double& at(std::size_t row, std::size_t column) { return entries_[column * rows_ + row]; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return entries_[column * rows_ + row]; }

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return entries_.size() / rows_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override {
    for (std::size_t i = 0; i < rows_; ++i) out[i] += factor * at(i, column);
  }
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) sum += at(i, column) * v[i];
    return sum;
  }

 private:
  std::size_t rows_;
  std::vector<double> entries_;
};

// Independent N(0, 1/m) entries.
inline std::shared_ptr<DenseMap> gaussian_map(std::mt19937_64& generator, std::size_t rows, std::size_t columns) {
  std::normal_distribution<double> normal(0.0, 1.0 / std::sqrt(static_cast<double>(rows)));
  auto map = std::make_shared<DenseMap>(rows, columns);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) map->at(i, j) = normal(generator);
  }
  return map;
}

inline std::shared_ptr<DenseMap> identity_map(std::size_t dimension) {
  auto map = std::make_shared<DenseMap>(dimension, dimension);
  for (std::size_t i = 0; i < dimension; ++i) map->at(i, i) = 1.0;
  return map;
}

// `weight` entries of +-1/sqrt(weight) in every column (perhaps twice in one row).
class SparseSignMap final : public LinearMap {
 public:
  SparseSignMap(std::mt19937_64& generator, std::size_t rows, std::size_t columns, std::size_t weight)
      : rows_(rows), weight_(weight), places_(columns * weight), value_(1.0 / std::sqrt(static_cast<double>(weight))) {
    for (Place& place : places_) {
      place.row = static_cast<std::uint32_t>(generator() % rows);
      place.negative = generator() % 2 == 0;
    }
  }

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return places_.size() / weight_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override {
    for (std::size_t k = column * weight_; k < (column + 1) * weight_; ++k) {
      out[places_[k].row] += places_[k].negative ? -factor * value_ : factor * value_;
    }
  }
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override {
    double sum = 0.0;
    for (std::size_t k = column * weight_; k < (column + 1) * weight_; ++k) {
      sum += places_[k].negative ? -v[places_[k].row] : v[places_[k].row];
    }
    return sum * value_;
  }

 private:
  struct Place {
    std::uint32_t row;
    bool negative;
  };
  std::size_t rows_;
  std::size_t weight_;
  std::vector<Place> places_;
  double value_;
};

}  // namespace rivulet::sketch
