// ProjectedLeastSquares a few hundred columns at a time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/linear_map.h"
#include "sketch/projected_least_squares.h"
#include "solve/cholesky.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::add_multiple;
using solve::dot;
namespace {

// A few columns of another map, copied: sparse where they are.
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

constexpr std::size_t kTakenWhole = 256;
constexpr std::size_t kFirstPromising = 64;
constexpr std::size_t kPromising = 32;
constexpr std::size_t kMostRounds = 100;

}  // namespace

WorkingLeastSquares::WorkingLeastSquares(const ConstraintSet& set, const LinearMap& map)
    : set_(&set), faces_(dynamic_cast<const geometry::Faces*>(&set)), map_(&map) {
  if (faces_ == nullptr) throw std::logic_error("least squares over a set that does not know its faces");
  const std::size_t d = map.columns();
  whole_ = d <= kTakenWhole || faces_->most_promising(std::vector<double>(d, 1.0), 1).empty();
  image_.resize(map.rows());
  if (whole_) {
    part_ = std::make_unique<ProjectedLeastSquares>(set, map);
  } else {
    slope_.resize(d);
    vertex_.resize(d);
  }
}

void WorkingLeastSquares::begin(std::span<const double> factor) {
  factor_ = factor;
  if (whole_) {
    part_->set_factor(factor);
  } else {
    coordinates_.clear();
    part_.reset();
  }
}

void WorkingLeastSquares::add(std::vector<std::size_t> coordinates) {
  std::sort(coordinates.begin(), coordinates.end());
  std::vector<std::size_t> all;
  std::set_union(coordinates.begin(), coordinates.end(), coordinates_.begin(), coordinates_.end(),
                 std::back_inserter(all));
  if (all.size() == coordinates_.size()) return;
  coordinates_ = std::move(all);
  part_.reset();
}

void WorkingLeastSquares::rebuild() {
  if (part_ != nullptr) return;
  face_ = faces_->restricted(coordinates_);
  auto columns = std::make_unique<ColumnMap>(map_->rows());
  for (const std::size_t coordinate : coordinates_) columns->append(*map_, coordinate);
  columns_ = std::move(columns);
  part_ = std::make_unique<ProjectedLeastSquares>(*face_, *columns_);
  part_->set_factor(factor_);
  small_.resize(coordinates_.size());
}

double WorkingLeastSquares::support_of(std::span<const double> dual) {
  if (factor_.empty()) {
    map_->apply_transpose(dual, slope_);
  } else {
    solve::multiply_lower(factor_, dual, image_);
    map_->apply_transpose(image_, slope_);
  }
  for (double& entry : slope_) entry = -entry;
  set_->minimise_linear(slope_, vertex_);
  return -dot(slope_, vertex_);
}

LeastSquaresEnd WorkingLeastSquares::run(std::span<const double> target, double gamma, double gap_fraction,
                                         double gap_floor, std::span<double> theta) {
  if (whole_) return part_->run(target, gamma, gap_fraction, gap_floor, theta);
  std::vector<std::size_t> support;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (theta[i] != 0.0) support.push_back(i);
  }
  if (coordinates_.empty()) {
    map_->apply(theta, image_);
    if (!factor_.empty()) {
      std::vector<double> seen(image_.size());
      solve::multiply_lower_transposed(factor_, image_, seen);
      image_ = std::move(seen);
    }
    std::vector<double> residual(target.begin(), target.end());
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= image_[i];
    support_of(residual);
    add(faces_->most_promising(slope_, support.size() + kFirstPromising));
  }
  add(std::move(support));

  LeastSquaresEnd whole;
  whole.gap = INFINITY;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    rebuild();
    for (std::size_t k = 0; k < coordinates_.size(); ++k) small_[k] = theta[coordinates_[k]];
    const LeastSquaresEnd end = part_->run(target, gamma, 0.5 * gap_fraction, 0.5 * gap_floor, small_);
    std::size_t count = 0;
    for (std::size_t k = 0; k < coordinates_.size(); ++k) {
      theta[coordinates_[k]] = small_[k];
      if (small_[k] != 0.0) ++count;
    }
    const double outside = support_of(part_->dual());
    whole.residual = end.residual;
    whole.steps += end.steps;
    whole.gap = end.gap + gamma * std::max(0.0, outside - part_->support());
    const double aligned = dot(target, part_->dual());
    if (aligned > 0.0 && outside > 0.0) whole.gauge_bound = std::max(whole.gauge_bound, aligned / outside);
    if (whole.gap <= gap_fraction * end.residual * end.residual + gap_floor) break;
    if (outside <= part_->support() * (1.0 + 1e-12)) break;  // nothing outside promises more
    if (round + 1 == kMostRounds) break;                     // the part that was solved stays the one to go on with
    const std::size_t before = coordinates_.size();
    const std::size_t wanted = std::min(2 * count, map_->rows()) + kPromising;
    add(faces_->most_promising(slope_, wanted));
    if (coordinates_.size() == before) add(faces_->most_promising(slope_, before + wanted));
    if (coordinates_.size() == before) break;
  }
  return whole;
}

double WorkingLeastSquares::fit_freely(std::span<const double> target, std::span<double> theta) {
  if (whole_) return part_->fit_on(part_->free_coordinates(), target, theta);
  for (std::size_t k = 0; k < coordinates_.size(); ++k) small_[k] = theta[coordinates_[k]];
  const double residual = part_->fit_on(part_->free_coordinates(), target, small_);
  for (std::size_t k = 0; k < coordinates_.size(); ++k) theta[coordinates_[k]] = small_[k];
  return residual;
}

}  // namespace rivulet::sketch
