#include "solve/column_map.h"

#include <algorithm>

#include "solve/vector_math.h"

namespace rivulet::solve {

void ColumnMap::append(const LinearMap& map, std::size_t column) {
  dense_.assign(rows_, 0.0);
  map.add_column(column, 1.0, dense_);
  const auto zeros = static_cast<std::size_t>(std::count(dense_.begin(), dense_.end(), 0.0));
  const bool sparse = 4 * (rows_ - zeros) < rows_;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (sparse && dense_[row] == 0.0) continue;
    entries_.push_back(dense_[row]);
    places_.push_back(row);
  }
  begin_.push_back(entries_.size());
}

void ColumnMap::add_column(std::size_t column, double factor, std::span<double> out) const {
  const std::size_t first = begin_[column];
  const std::size_t end = begin_[column + 1];
  if (end - first == rows_) {
    add_multiple(factor, entries_.data() + first, out.data(), rows_);
  } else {
    for (std::size_t k = first; k < end; ++k) out[places_[k]] += factor * entries_[k];
  }
}

double ColumnMap::column_dot(std::size_t column, std::span<const double> v) const {
  const std::size_t first = begin_[column];
  const std::size_t end = begin_[column + 1];
  if (end - first == rows_) return dot(entries_.data() + first, v.data(), rows_);
  double sum = 0.0;
  for (std::size_t k = first; k < end; ++k) sum += entries_[k] * v[places_[k]];
  return sum;
}

}  // namespace rivulet::solve
