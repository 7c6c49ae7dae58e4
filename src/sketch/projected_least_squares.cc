#include "sketch/projected_least_squares.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solve/cholesky.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::add_multiple;
using solve::dot;
using solve::norm;
namespace {

constexpr std::size_t kMostProximalSteps = 200;
constexpr std::size_t kMostNewtonSteps = 25;
constexpr std::size_t kMostHalvings = 25;
// The first proximal weight lets a step cross the set about once. Then it grows while Newton's method is quick, and
// falls where it gets lost; with the following limits, in units of set over target and of the first weight.
constexpr double kMostWeight = 1e9;  // beyond, the dual variable's rounding alone would move the point
constexpr double kLeastWeight = 1e-6;
constexpr double kWeightLoss = 0.1;
// Of the target: a smaller residual is rounding.
constexpr double kRounding = 1e-14;
// ||u - (b - A theta)|| of the first and of later proximal steps, relative to ||u||.
constexpr double kFirstTolerance = 0.03;
constexpr double kTightest = 1e-7;

}  // namespace

ProjectedLeastSquares::ProjectedLeastSquares(const ConstraintSet& set, const LinearMap& map)
    : set_(&set), faces_(dynamic_cast<const geometry::Faces*>(&set)), map_(&map), cholesky_(map.rows()) {
  if (faces_ == nullptr) throw std::logic_error("least squares over a set that does not know its faces");
  const std::size_t m = map.rows();
  const std::size_t d = map.columns();
  for (State* state : {&now_, &next_}) {
    for (auto* memory : {&state->dual, &state->image, &state->mismatch}) memory->resize(m);
    for (auto* memory : {&state->slope, &state->theta}) memory->resize(d);
  }
  for (auto* memory : {&centre_, &point_, &vertex_}) memory->resize(d);
  for (auto* memory : {&direction_, &remainder_, &search_, &search_image_}) memory->resize(m);
}

void ProjectedLeastSquares::set_factor(std::span<const double> factor) {
  factor_ = factor;
  const std::size_t m = map_->rows();
  column_scale_ = 1.0;
  if (factor.empty()) return;
  factored_.resize(m);
  double largest = 0.0;
  for (std::size_t row = 0; row < m; ++row) {
    largest = std::max(largest, dot(factor.data() + row * m, factor.data() + row * m, row + 1));
  }
  column_scale_ = std::sqrt(largest);
}

std::span<const double> ProjectedLeastSquares::times_factor(std::span<const double> v) {
  if (factor_.empty()) return v;
  solve::multiply_lower(factor_, v, factored_);
  return factored_;
}

void ProjectedLeastSquares::times_factor_transposed(std::span<double> v) {
  if (factor_.empty()) return;
  solve::multiply_lower_transposed(factor_, v, factored_);
  std::copy(factored_.begin(), factored_.end(), v.begin());
}

void ProjectedLeastSquares::project(std::span<double> point) const {
  for (double& entry : point) entry /= gamma_;
  set_->project(point);
}

// With z = c + sigma A^T u the dual objective is 1/2 ||u||^2 - <b, u> + (<z, P z> - 1/2 ||P z||^2) / sigma.
void ProjectedLeastSquares::evaluate(State& state) {
  map_->apply_transpose(times_factor(state.dual), state.slope);
  for (std::size_t i = 0; i < centre_.size(); ++i) point_[i] = centre_[i] + sigma_ * state.slope[i];
  state.theta = point_;
  project(state.theta);
  double envelope = 0.0;
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    state.theta[i] *= gamma_;
    envelope += state.theta[i] * (point_[i] - 0.5 * state.theta[i]);
  }
  map_->apply(state.theta, state.image);
  times_factor_transposed(state.image);
  for (std::size_t i = 0; i < state.dual.size(); ++i) {
    state.mismatch[i] = (state.dual[i] - target_[i]) + state.image[i];
  }
  state.mismatch_norm = norm(state.mismatch);
  state.value = 0.5 * dot(state.dual, state.dual) - dot(target_, state.dual) + envelope / sigma_;
}

double ProjectedLeastSquares::accepted_mismatch(double tolerance) const {
  return std::max(0.1 * kRounding * norm(target_), tolerance * norm(now_.dual));
}

std::size_t ProjectedLeastSquares::solve_proximal(double tolerance) {
  evaluate(now_);
  std::size_t steps = 0;
  for (; steps < kMostNewtonSteps && now_.mismatch_norm > accepted_mismatch(tolerance); ++steps) {
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      point_[i] = (centre_[i] + sigma_ * now_.slope[i]) / gamma_;
      vertex_[i] = now_.theta[i] / gamma_;
    }
    derivative_ = faces_->projection_derivative(point_, vertex_);
    newton_direction(std::clamp(0.3 * accepted_mismatch(tolerance) / now_.mismatch_norm, 1e-3, 0.1));
    const double slope = dot(now_.mismatch, direction_);
    double length = 1.0;
    bool accepted = false;
    for (std::size_t halving = 0; halving < kMostHalvings && !accepted; ++halving) {
      for (std::size_t i = 0; i < direction_.size(); ++i) next_.dual[i] = now_.dual[i] + length * direction_[i];
      evaluate(next_);
      // Where the objective's differences drown in rounding, its gradient still tells.
      accepted = next_.value <= now_.value + 1e-4 * length * slope || next_.mismatch_norm <= 0.5 * now_.mismatch_norm;
      length *= 0.5;
    }
    if (!accepted) break;
    std::swap(now_, next_);
  }
  return steps;
}

LeastSquaresEnd ProjectedLeastSquares::judge() {
  LeastSquaresEnd end;
  for (std::size_t i = 0; i < vertex_.size(); ++i) point_[i] = -now_.slope[i];
  set_->minimise_linear(point_, vertex_);
  const double support = dot(now_.slope, vertex_);
  end.support = support;
  const double aligned = dot(target_, now_.dual);
  double squares = 0.0;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const double entry = target_[i] - now_.image[i];
    squares += entry * entry;
  }
  end.residual = std::sqrt(squares);
  end.gap = std::max(0.0, 0.5 * squares + 0.5 * dot(now_.dual, now_.dual) - aligned + gamma_ * support);
  end.gauge_bound = aligned > 0.0 && support > 0.0 ? aligned / support : 0.0;
  return end;
}

LeastSquaresEnd ProjectedLeastSquares::run(std::span<const double> target, double gamma, double gap_fraction,
                                           double gap_floor, std::span<double> theta) {
  target_ = target;
  gamma_ = gamma;
  std::copy(theta.begin(), theta.end(), centre_.begin());
  map_->apply(centre_, now_.image);
  times_factor_transposed(now_.image);
  for (std::size_t i = 0; i < target.size(); ++i) now_.dual[i] = target[i] - now_.image[i];

  LeastSquaresEnd best;
  best.residual = norm(now_.dual);
  best.gap = INFINITY;
  dual_ = now_.dual;
  support_ = 0.0;
  std::vector<double> residual = now_.dual;  // of the centre
  const double scale = norm(target);
  const double size = gamma_ * set_->diameter() / column_scale_;
  const double most_weight = size * kMostWeight / scale;
  sigma_ = std::min(most_weight, size / best.residual);
  const double least_weight = kLeastWeight * sigma_;
  double tolerance = kFirstTolerance;
  for (std::size_t step = 0; step < kMostProximalSteps && best.residual > kRounding * scale; ++step) {
    now_.dual = residual;
    const std::size_t steps = solve_proximal(tolerance);
    LeastSquaresEnd end = judge();
    best.steps += steps;
    best.gauge_bound = std::max(end.gauge_bound, best.gauge_bound);
    // Any dual variable bounds the minimum from below, so the centre is judged by this one, too: where it is optimal up
    // to rounding, no step from it is accepted any more.
    const double gap_at_centre = end.gap + 0.5 * (best.residual - end.residual) * (best.residual + end.residual);
    if (gap_at_centre < best.gap) {
      best.gap = std::max(0.0, gap_at_centre);
      best.support = end.support;
      dual_ = now_.dual;
      support_ = end.support;
    }
    if (now_.mismatch_norm > accepted_mismatch(tolerance)) {  // Newton's method did not get there
      sigma_ *= kWeightLoss;
      if (sigma_ < least_weight) break;
      continue;
    }
    if (!(end.residual <= best.residual)) {  // an exact proximal step never takes the point farther away
      if (tolerance <= kTightest) break;
      tolerance = std::max(kTightest, 0.01 * tolerance);
      continue;
    }
    end.steps = best.steps;
    end.gauge_bound = best.gauge_bound;
    best = end;
    dual_ = now_.dual;
    support_ = end.support;
    std::copy(now_.theta.begin(), now_.theta.end(), theta.begin());
    if (end.gap <= gap_fraction * end.residual * end.residual + gap_floor) break;
    centre_ = now_.theta;
    for (std::size_t i = 0; i < target.size(); ++i) residual[i] = target[i] - now_.image[i];
    const double growth = steps <= 4 ? 10.0 : steps <= 8 ? 3.0 : steps <= 16 ? 1.0 : 0.5;
    sigma_ = std::min(most_weight, growth * sigma_);
    tolerance = std::max(kTightest, 0.1 * tolerance);
  }
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    point_[i] = (centre_[i] + sigma_ * now_.slope[i]) / gamma_;
    vertex_[i] = now_.theta[i] / gamma_;
  }
  derivative_ = faces_->projection_derivative(point_, vertex_);
  return best;
}

double ProjectedLeastSquares::fit_on(std::span<const std::size_t> coordinates, std::span<const double> target,
                                     std::span<double> theta) {
  map_->apply(theta, next_.image);
  for (std::size_t i = 0; i < target.size(); ++i) remainder_[i] = target[i] - next_.image[i];
  const double before = norm(remainder_);
  std::fill(direction_.begin(), direction_.end(), 0.0);
  // Conjugate gradients on A_S A_S^T y = remainder.
  search_ = remainder_;
  double squares = dot(remainder_, remainder_);
  const double goal = 1e-32 * dot(target, target);
  for (std::size_t step = 0; step < 3 * target.size() + 10 && squares > goal; ++step) {
    std::fill(search_image_.begin(), search_image_.end(), 0.0);
    for (const std::size_t i : coordinates) map_->add_column(i, map_->column_dot(i, search_), search_image_);
    const double bend = dot(search_, search_image_);
    if (!(bend > 0.0)) break;
    const double length = squares / bend;
    add_multiple(length, search_.data(), direction_.data(), direction_.size());
    add_multiple(-length, search_image_.data(), remainder_.data(), remainder_.size());
    const double last = squares;
    squares = dot(remainder_, remainder_);
    for (std::size_t i = 0; i < search_.size(); ++i) search_[i] = remainder_[i] + squares / last * search_[i];
  }
  std::copy(theta.begin(), theta.end(), point_.begin());
  for (const std::size_t i : coordinates) point_[i] += map_->column_dot(i, direction_);
  map_->apply(point_, next_.image);
  squares = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    squares += (target[i] - next_.image[i]) * (target[i] - next_.image[i]);
  }
  if (!(std::sqrt(squares) < before)) return before;
  std::copy(point_.begin(), point_.end(), theta.begin());
  return std::sqrt(squares);
}

// The Newton steps of ProjectedLeastSquares.

namespace {

// Factoring is taken for cheap while forming the matrix takes this many times the m^3 of the factors, at most.
constexpr std::size_t kMostFactoring = 2;

}  // namespace

void ProjectedLeastSquares::newton_direction(double tolerance) {
  if (!newton_by_factoring()) newton_by_conjugate_gradients(tolerance);
}

bool ProjectedLeastSquares::newton_by_factoring() {
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

void ProjectedLeastSquares::newton_by_conjugate_gradients(double tolerance) {
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

}  // namespace rivulet::sketch
