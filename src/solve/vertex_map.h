// Phi V^T for the vertices of a polytope: the image of the polytope is the image of the unit simplex under it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "solve/vector_math.h"

namespace rivulet::solve {

class VertexMap final : public LinearMap {
 public:
  // `vertices` row by row, map.columns() numbers each.
  VertexMap(const LinearMap& map, std::span<const double> vertices)
      : rows_(map.rows()), columns_(vertices.size() / map.columns()), entries_(rows_ * columns_) {
    for (std::size_t j = 0; j < columns_; ++j) {
      map.apply(vertices.subspan(j * map.columns(), map.columns()), std::span(entries_).subspan(j * rows_, rows_));
    }
  }

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override {
    add_multiple(factor, entries_.data() + column * rows_, out.data(), rows_);
  }
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override {
    return dot(entries_.data() + column * rows_, v.data(), rows_);
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> entries_;  // column by column
};

}  // namespace rivulet::solve
