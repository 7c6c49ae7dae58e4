#include "solve/image_columns.h"

#include <algorithm>
#include <numeric>

#include "solve/vector_math.h"

namespace rivulet::solve {

double ImageColumns::Column::dot_with(std::span<const double> v) const {
  if (rows.empty()) return dot(entries, v);
  double sum = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) sum += entries[k] * v[rows[k]];
  return sum;
}

void ImageColumns::reset(const Quadratic& quadratic) {
  quadratic_ = quadratic;
  columns_.clear();
  sorted_.clear();
  position_.clear();
}

std::size_t ImageColumns::add(std::span<const std::size_t> coordinates) {
  std::vector<std::size_t> wanted(coordinates.begin(), coordinates.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<std::size_t> fresh;
  std::set_difference(wanted.begin(), wanted.end(), sorted_.begin(), sorted_.end(), std::back_inserter(fresh));

  const std::size_t m = map_->rows();
  std::vector<double> dense(m);
  for (const std::size_t coordinate : fresh) {
    Column column;
    column.coordinate = coordinate;
    std::fill(dense.begin(), dense.end(), 0.0);
    map_->add_column(coordinate, 1.0, dense);
    column.product.assign(m, 0.0);
    quadratic_.multiply(dense, column.product);
    for (std::size_t row = 0; row < m; ++row) {
      if (dense[row] != 0.0) column.rows.push_back(row);
    }
    if (column.rows.size() * 4 < m && !column.rows.empty()) {
      for (const std::size_t row : column.rows) column.entries.push_back(dense[row]);
    } else {
      column.rows.clear();
      column.entries = dense;
    }
    column.cross = column.dot_with(quadratic_.cross);
    for (const Column& other : columns_) column.gram.push_back(column.dot_with(other.product));
    column.gram.push_back(column.dot_with(column.product));
    columns_.push_back(std::move(column));
  }

  position_.resize(columns_.size());
  std::iota(position_.begin(), position_.end(), std::size_t{0});
  std::sort(position_.begin(), position_.end(),
            [this](std::size_t a, std::size_t b) { return columns_[a].coordinate < columns_[b].coordinate; });
  sorted_.clear();
  for (const std::size_t k : position_) sorted_.push_back(columns_[k].coordinate);
  return fresh.size();
}

Quadratic ImageColumns::restricted() {
  const std::size_t size = columns_.size();
  gram_.resize(size * size);
  cross_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    cross_[i] = columns_[position_[i]].cross;
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t a = std::max(position_[i], position_[j]);
      const std::size_t b = std::min(position_[i], position_[j]);
      gram_[i * size + j] = columns_[a].gram[b];
    }
  }
  return {size, gram_, cross_};
}

void ImageColumns::gather(std::span<const double> theta, std::span<double> part) const {
  for (std::size_t k = 0; k < sorted_.size(); ++k) part[k] = theta[sorted_[k]];
}

void ImageColumns::gather(std::span<const std::size_t> support, std::span<const double> values,
                          std::span<double> part) const {
  std::fill(part.begin(), part.end(), 0.0);
  auto place = sorted_.begin();
  for (std::size_t k = 0; k < support.size(); ++k) {
    place = std::lower_bound(place, sorted_.end(), support[k]);
    part[static_cast<std::size_t>(place - sorted_.begin())] = values[k];
  }
}

void ImageColumns::scatter(std::span<const double> part, std::span<double> theta) const {
  std::fill(theta.begin(), theta.end(), 0.0);
  for (std::size_t k = 0; k < sorted_.size(); ++k) theta[sorted_[k]] = part[k];
}

}  // namespace rivulet::solve
