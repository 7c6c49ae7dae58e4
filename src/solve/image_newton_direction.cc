// The Newton steps of ImageLeastSquares.
#include <algorithm>

#include "solve/image_least_squares.h"
#include "solve/vector_math.h"

namespace rivulet::solve {
namespace {

// Factoring is taken for cheap while forming the matrix takes this many times the m^3 of the factors, at most.
constexpr std::size_t kMostFactoring = 2;

}  // namespace

void ImageLeastSquares::newton_direction(double tolerance) {
  if (!newton_by_factoring()) newton_by_conjugate_gradients(tolerance);
}

bool ImageLeastSquares::newton_by_factoring() {
  const std::vector<std::size_t>& active = derivative_.active;
  const std::size_t m = map_->rows();
  // With few columns conjugate gradients need few iterations.
  if (!factor_.empty() || 4 * active.size() < 3 * m) return false;
  std::vector<double>& column = search_;
  std::vector<std::size_t> rows;
  const auto read = [&](std::size_t coordinate) {
    std::fill(column.begin(), column.end(), 0.0);
    map_->add_column(coordinate, 1.0, column);
    rows.clear();
    for (std::size_t row = 0; row < m; ++row) {
      if (column[row] != 0.0) rows.push_back(row);
    }
  };
  read(active.front());
  if (active.size() * rows.size() * rows.size() > kMostFactoring * m * m * m) return false;

  // A J A^T, its upper triangle.
  matrix_.assign(m * m, 0.0);
  const auto add_square = [&](double factor, std::span<const double> v) {
    for (std::size_t i = 0; i < m; ++i) {
      if (v[i] != 0.0) add_multiple(factor * v[i], v.data() + i, matrix_.data() + i * m + i, m - i);
    }
  };
  for (std::size_t k = 0; k < active.size(); ++k) {
    read(active[k]);
    if (4 * rows.size() > m) {
      add_square(derivative_.weight[k], column);
      continue;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weighted = derivative_.weight[k] * column[rows[i]];
      for (std::size_t j = i; j < rows.size(); ++j) matrix_[rows[i] * m + rows[j]] += weighted * column[rows[j]];
    }
  }
  std::size_t begin = 0;
  for (const std::size_t size : derivative_.block_sizes) {
    std::fill(column.begin(), column.end(), 0.0);
    for (std::size_t k = begin; k < begin + size; ++k) map_->add_column(active[k], derivative_.axis[k], column);
    add_square(1.0, column);
    begin += size;
  }
  if (!derivative_.normal.empty()) {
    std::fill(column.begin(), column.end(), 0.0);
    for (std::size_t k = 0; k < active.size(); ++k) map_->add_column(active[k], derivative_.normal[k], column);
    add_square(-1.0, column);
  }
  if (!cholesky_.factor(matrix_, 1.0 / sigma_)) return false;
  for (std::size_t i = 0; i < m; ++i) remainder_[i] = -now_.mismatch[i] / sigma_;
  cholesky_.solve(remainder_, direction_);
  return true;
}

void ImageLeastSquares::newton_by_conjugate_gradients(double tolerance) {
  const std::vector<std::size_t>& active = derivative_.active;
  gathered_.resize(active.size());
  moved_.resize(active.size());
  std::fill(direction_.begin(), direction_.end(), 0.0);
  for (std::size_t i = 0; i < remainder_.size(); ++i) remainder_[i] = -now_.mismatch[i];
  search_ = remainder_;
  double squares = dot(remainder_, remainder_);
  const double goal = tolerance * tolerance * squares;
  for (std::size_t step = 0; step < 3 * remainder_.size() + 10 && squares > goal; ++step) {
    const std::span<const double> seen = times_factor(search_);
    for (std::size_t k = 0; k < active.size(); ++k) gathered_[k] = map_->column_dot(active[k], seen);
    derivative_.apply(gathered_, moved_);
    std::fill(search_image_.begin(), search_image_.end(), 0.0);
    for (std::size_t k = 0; k < active.size(); ++k) map_->add_column(active[k], sigma_ * moved_[k], search_image_);
    times_factor_transposed(search_image_);
    add_multiple(1.0, search_.data(), search_image_.data(), search_.size());
    const double bend = dot(search_, search_image_);
    if (!(bend > 0.0)) break;
    const double length = squares / bend;
    add_multiple(length, search_.data(), direction_.data(), direction_.size());
    add_multiple(-length, search_image_.data(), remainder_.data(), remainder_.size());
    const double before = squares;
    squares = dot(remainder_, remainder_);
    for (std::size_t i = 0; i < search_.size(); ++i) search_[i] = remainder_[i] + squares / before * search_[i];
  }
}

}  // namespace rivulet::solve
