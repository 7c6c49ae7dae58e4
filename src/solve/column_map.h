// A few columns of another map, copied: sparse where they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linear_map.h"

namespace rivulet::solve {

class ColumnMap final : public LinearMap {
 public:
  explicit ColumnMap(std::size_t rows) : rows_(rows), begin_{0} {}

  // One more column: that of `map`, of as many rows.
  void append(const LinearMap& map, std::size_t column);

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return begin_.size() - 1; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override;
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override;

 private:
  std::size_t rows_;
  std::vector<std::size_t> begin_;  // of a column in entries_
  std::vector<double> entries_;
  std::vector<std::size_t> places_;  // row of an entry; a dense column has them all, in order
  std::vector<double> dense_;
};

}  // namespace rivulet::solve
