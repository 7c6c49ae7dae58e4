#include "solve/working_least_squares.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solve/lower_triangle.h"
#include "solve/vector_math.h"

namespace rivulet::solve {
namespace {

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
    part_ = std::make_unique<ImageLeastSquares>(set, map);
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
  columns_ = std::make_unique<ColumnMap>(map_->rows());
  for (const std::size_t coordinate : coordinates_) columns_->append(*map_, coordinate);
  part_ = std::make_unique<ImageLeastSquares>(*face_, *columns_);
  part_->set_factor(factor_);
  small_.resize(coordinates_.size());
}

double WorkingLeastSquares::support_of(std::span<const double> dual) {
  if (factor_.empty()) {
    map_->apply_transpose(dual, slope_);
  } else {
    multiply_lower(factor_, dual, image_);
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
      multiply_lower_transposed(factor_, image_, seen);
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

}  // namespace rivulet::solve
