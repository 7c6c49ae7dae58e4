// Minimising over Phi K on a few columns at a time: WorkingColumns and WorkingSet.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sketch/projected_minimiser.h"
#include "solve/accelerated.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::dot;

double WorkingColumns::Column::dot_with(std::span<const double> v) const {
  if (rows.empty()) return dot(entries, v);
  double sum = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) sum += entries[k] * v[rows[k]];
  return sum;
}

void WorkingColumns::reset(const solve::Quadratic& quadratic) {
  quadratic_ = quadratic;
  columns_.clear();
  sorted_.clear();
  position_.clear();
}

std::size_t WorkingColumns::add(std::span<const std::size_t> coordinates) {
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

solve::Quadratic WorkingColumns::restricted() {
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

void WorkingColumns::gather(std::span<const double> theta, std::span<double> part) const {
  for (std::size_t k = 0; k < sorted_.size(); ++k) part[k] = theta[sorted_[k]];
}

void WorkingColumns::gather(std::span<const std::size_t> support, std::span<const double> values,
                            std::span<double> part) const {
  std::fill(part.begin(), part.end(), 0.0);
  auto place = sorted_.begin();
  for (std::size_t k = 0; k < support.size(); ++k) {
    place = std::lower_bound(place, sorted_.end(), support[k]);
    part[static_cast<std::size_t>(place - sorted_.begin())] = values[k];
  }
}

void WorkingColumns::scatter(std::span<const double> part, std::span<double> theta) const {
  std::fill(theta.begin(), theta.end(), 0.0);
  for (std::size_t k = 0; k < sorted_.size(); ++k) theta[sorted_[k]] = part[k];
}

namespace {

constexpr double kRelativeGap = 1e-8;
constexpr std::size_t kMostIterations = 2000;
// Enough to tell which start leads lowest.
constexpr double kScreeningGap = 1e-4;
constexpr std::size_t kScreeningIterations = 200;
constexpr std::size_t kScreeningRounds = 3;
constexpr std::size_t kAxisStarts = 10;
// How many starts get columns of their own: that takes passes over all columns, dear where there are many.
constexpr std::size_t kManyColumns = 20000;
constexpr std::size_t kFewStarts = 3;
// How many sparse points of K each criterion adds to the first working set, and a round to a later one.
constexpr std::size_t kFirstPromising = 48;
constexpr std::size_t kPromising = 32;
constexpr std::size_t kMostRounds = 60;
constexpr std::size_t kMostAxisWork = std::size_t{1} << 22;  // multiplications

std::vector<std::size_t> support_of(std::span<const double> theta) {
  std::vector<std::size_t> support;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (theta[i] != 0.0) support.push_back(i);
  }
  return support;
}

}  // namespace

WorkingSet::WorkingSet(const ConstraintSet& set, const LinearMap& map)
    : faces_(dynamic_cast<const geometry::Faces*>(&set)),
      set_(&set),
      map_(&map),
      whole_(map.columns() <= kAllColumns),
      objective_(set, map),
      columns_(map) {
  if (faces_ == nullptr) throw std::logic_error("an image of a set that does not know its faces");
}

MinimiserEnd WorkingSet::run(const solve::Quadratic& quadratic, bool convex, bool has_start, std::span<double> theta) {
  quadratic_ = quadratic;
  first_columns(convex, has_start, theta);
  rebuild();
  const std::size_t spent =
      whole_ || convex ? from_the_dense_solver(has_start, theta) : from_several_starts(has_start, theta);
  MinimiserEnd end = finish(theta);
  end.iterations += spent;
  return end;
}

void WorkingSet::first_columns(bool convex, bool has_start, std::span<const double> theta) {
  columns_.reset(quadratic_);
  if (whole_) {
    std::vector<std::size_t> all(map_->columns());
    std::iota(all.begin(), all.end(), std::size_t{0});
    columns_.add(all);
    return;
  }
  if (has_start) {
    columns_.add(support_of(theta));
    objective_.evaluate(quadratic_, theta);
    columns_.add(faces_->most_promising(objective_.slope(), kFirstPromising));
  }
  std::vector<double> slope(map_->columns());
  map_->apply_transpose(quadratic_.cross, slope);
  add_low_axes(slope);
  for (double& entry : slope) entry = -entry;
  columns_.add(faces_->most_promising(slope, kFirstPromising));
  if (convex || faces_->spanned_by_axes()) return;
  // Round sets reach far along a direction of low curvature with many small coordinates, which no axis shows.
  map_->apply_transpose(low_direction(quadratic_), slope);
  columns_.add(faces_->most_promising(slope, 2 * kFirstPromising));
}

// K holds the points +-diameter * e_i (on the simplex, + only): those with the lowest objectives, among the columns
// that fit the cross moments best if there are too many to look at.
void WorkingSet::add_low_axes(std::span<const double> cross) {
  const std::size_t m = map_->rows();
  std::vector<double> dense(m, 0.0);
  map_->add_column(0, 1.0, dense);
  const auto zeros = static_cast<std::size_t>(std::count(dense.begin(), dense.end(), 0.0));
  const std::size_t weight = m - zeros + 1;
  const std::size_t affordable = kMostAxisWork / (weight * weight + 2 * m);
  std::vector<double> scores(cross.begin(), cross.end());
  for (double& score : scores) score = std::abs(score);
  const std::vector<std::size_t> candidates = geometry::largest_scores(scores, affordable);

  const double radius = set_->diameter();
  std::vector<double> lowness;
  std::vector<std::size_t> rows;
  for (const std::size_t i : candidates) {
    std::fill(dense.begin(), dense.end(), 0.0);
    map_->add_column(i, 1.0, dense);
    rows.clear();
    for (std::size_t row = 0; row < m; ++row) {
      if (dense[row] != 0.0) rows.push_back(row);
    }
    double curvature = 0.0;
    for (const std::size_t row : rows) {
      double sum = 0.0;
      for (const std::size_t other : rows) sum += quadratic_.gram[row * m + other] * dense[other];
      curvature += dense[row] * sum;
    }
    lowness.push_back(2.0 * std::abs(cross[i]) - radius * curvature);
  }
  std::vector<std::size_t> chosen = geometry::largest_scores(lowness, kFirstPromising);
  for (std::size_t& index : chosen) index = candidates[index];
  columns_.add(chosen);
}

// A minimiser needs no more than m + 1 of them at once.
std::size_t WorkingSet::most_columns() const {
  return 2 * map_->rows() + 2 * kAllColumns;
}

std::size_t WorkingSet::more_for(std::size_t support) const {
  return std::min(support, map_->rows() / 2) + kPromising;
}

std::size_t WorkingSet::add_promising(std::size_t count, bool insist) {
  const std::size_t added = columns_.add(faces_->most_promising(objective_.slope(), count));
  if (added > 0 || !insist) return added;
  return columns_.add(faces_->most_promising(objective_.slope(), columns_.coordinates().size() + count));
}

void WorkingSet::rebuild() {
  part_ = columns_.restricted();
  face_ = faces_->restricted(columns_.coordinates());
  descent_ = std::make_unique<solve::Descent>(face_);
  small_.resize(part_.dimension);
}

solve::DescentResult WorkingSet::descend(double relative_gap, std::size_t most_iterations) {
  face_->project(small_);
  return descent_->run(part_, 0.0, relative_gap, most_iterations, small_);
}

WorkingSet::Candidate WorkingSet::candidate_at(std::span<const double> part) const {
  Candidate candidate;
  for (std::size_t k = 0; k < part.size(); ++k) {
    if (part[k] == 0.0) continue;
    candidate.support.push_back(columns_.coordinates()[k]);
    candidate.values.push_back(part[k]);
  }
  return candidate;
}

std::size_t WorkingSet::from_the_dense_solver(bool has_start, std::span<double> theta) {
  solve::AcceleratedSolver dense(face_);
  const auto solution = dense.solve(part_);
  std::size_t iterations = dense.report().iterations;
  if (has_start) {
    columns_.gather(theta, small_);
    const solve::DescentResult result = descend(kRelativeGap, kMostIterations);
    iterations += result.iterations;
    if (result.objective <= dense.report().objective) {
      columns_.scatter(small_, theta);
      return iterations;
    }
  }
  columns_.scatter(solution, theta);
  return iterations;
}

std::vector<WorkingSet::Candidate> WorkingSet::starts(bool has_start, std::span<const double> theta) {
  std::vector<Candidate> result;
  std::vector<double> point(part_.dimension);
  const auto keep = [&] { result.push_back(candidate_at(point)); };
  if (has_start) {
    columns_.gather(theta, point);
    keep();
  }
  std::fill(point.begin(), point.end(), 0.0);
  face_->project(point);
  keep();
  std::vector<double> direction(part_.cross.begin(), part_.cross.end());
  for (double& entry : direction) entry = -entry;
  face_->minimise_linear(direction, point);
  keep();

  const std::vector<double> low = low_direction(part_);
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t i = 0; i < low.size(); ++i) direction[i] = sign * low[i];
    face_->minimise_linear(direction, point);
    keep();
  }

  std::vector<double> lowness;
  std::fill(direction.begin(), direction.end(), 0.0);
  const auto turn_to = [&](std::size_t axis) {
    direction[axis / 2] = axis % 2 == 0 ? 1.0 : -1.0;
    face_->minimise_linear(direction, point);
    direction[axis / 2] = 0.0;
  };
  for (std::size_t axis = 0; axis < 2 * part_.dimension; ++axis) {
    turn_to(axis);
    lowness.push_back(-part_.value(point));
  }
  for (const std::size_t axis : geometry::largest_scores(lowness, kAxisStarts)) {
    turn_to(axis);
    keep();
  }
  return result;
}

std::size_t WorkingSet::from_several_starts(bool has_start, std::span<double> theta) {
  std::vector<Candidate> candidates = starts(has_start, theta);
  std::size_t iterations = 0;
  for (std::size_t round = 0; round < kScreeningRounds; ++round) {
    for (Candidate& candidate : candidates) {
      columns_.gather(candidate.support, candidate.values, small_);
      const solve::DescentResult result = descend(kScreeningGap, kScreeningIterations);
      iterations += result.iterations;
      candidate = candidate_at(small_);
      candidate.objective = result.objective;
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.objective < b.objective; });
    // Two that met need not go on together.
    const auto met = [](const Candidate& a, const Candidate& b) {
      return std::abs(a.objective - b.objective) <= 1e-9 * std::abs(a.objective);
    };
    candidates.erase(std::unique(candidates.begin(), candidates.end(), met), candidates.end());
    if (map_->columns() > kManyColumns && candidates.size() > kFewStarts) candidates.resize(kFewStarts);
    if (round + 1 == kScreeningRounds) break;
    std::size_t added = 0;
    for (const Candidate& candidate : candidates) {
      if (columns_.coordinates().size() > most_columns()) break;
      std::fill(theta.begin(), theta.end(), 0.0);
      for (std::size_t k = 0; k < candidate.support.size(); ++k) theta[candidate.support[k]] = candidate.values[k];
      objective_.evaluate(quadratic_, theta);
      added += add_promising(more_for(candidate.support.size()), false);
    }
    if (added == 0) break;
    rebuild();
  }
  const Candidate& lowest = candidates.front();
  std::fill(theta.begin(), theta.end(), 0.0);
  for (std::size_t k = 0; k < lowest.support.size(); ++k) theta[lowest.support[k]] = lowest.values[k];
  return iterations;
}

MinimiserEnd WorkingSet::finish(std::span<double> theta) {
  MinimiserEnd end;
  std::size_t stalls = 0;
  std::size_t most = most_columns();
  double inner_gap = INFINITY;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const MinimiserEnd now = objective_.evaluate(quadratic_, theta);
    end.objective = now.objective;
    end.gap = now.gap;
    if (end.gap <= kRelativeGap * std::abs(end.objective)) break;
    const std::vector<std::size_t> support = support_of(theta);
    if (!whole_ && columns_.coordinates().size() > most) {
      columns_.reset(quadratic_);
      columns_.add(support);
      most = 2 * most;  // so that the same columns do not come and go for ever
    }
    // A gap that is not there within the working set comes from other columns, even if they are not the steepest.
    const std::size_t added = whole_ ? 0 : add_promising(2 * more_for(support.size()), now.gap > 2.0 * inner_gap);
    if (added == 0 && ++stalls > 1) break;
    if (added > 0) rebuild();
    columns_.gather(theta, small_);
    const solve::DescentResult result = descend(0.5 * kRelativeGap, kMostIterations);
    end.iterations += result.iterations;
    inner_gap = result.gap;
    columns_.scatter(small_, theta);
  }
  return end;
}

}  // namespace rivulet::sketch
