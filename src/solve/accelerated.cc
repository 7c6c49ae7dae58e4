#include "solve/accelerated.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet::solve {
namespace {

// Enough to tell which start leads lowest; the winner is then finished to full accuracy.
constexpr double kScreeningGap = 1e-4;
constexpr std::size_t kScreeningIterations = 200;
constexpr std::size_t kAxisStarts = 5;

}  // namespace

AcceleratedSolver::AcceleratedSolver(std::shared_ptr<const ConstraintSet> set, Options options)
    : set_(std::move(set)),
      options_(options),
      descent_(set_),
      cholesky_(set_->dimension()),
      theta_(set_->dimension(), 0.0),
      candidate_(set_->dimension()) {}

std::span<const double> AcceleratedSolver::solve(const Quadratic& quadratic, double ridge) {
  report_ = {};
  const bool convex = certainly_convex(quadratic, ridge);
  if (convex) {
    start_convex(quadratic);
  } else {
    choose_start(quadratic, ridge);
  }
  const std::size_t spent = report_.iterations;
  report_ = descent_.run(quadratic, ridge, options_.relative_gap, options_.max_iterations, theta_);
  report_.iterations += spent;
  return theta_;
}

bool AcceleratedSolver::certainly_convex(const Quadratic& quadratic, double ridge) {
  const std::size_t d = quadratic.dimension;
  double largest = 0.0;
  for (std::size_t i = 0; i < d; ++i) {
    const double entry = quadratic.gram[i * d + i] + ridge;
    if (entry < 0.0) return false;
    largest = std::max(largest, entry);
  }
  // A singular but positive semidefinite matrix is convex too; the margin is far below anything that shows in the
  // result.
  return cholesky_.factor(quadratic.gram, ridge + 1e-11 * static_cast<double>(d) * largest);
}

// From the factors certainly_convex() left.
void AcceleratedSolver::start_convex(const Quadratic& quadratic) {
  cholesky_.solve(quadratic.cross, theta_);
  // A matrix all but zero may send its solution out of range.
  if (!std::all_of(theta_.begin(), theta_.end(), [](double entry) { return std::isfinite(entry); })) {
    std::fill(theta_.begin(), theta_.end(), 0.0);
  }
  set_->project(theta_);
}

void AcceleratedSolver::choose_start(const Quadratic& quadratic, double ridge) {
  report_.objective = std::numeric_limits<double>::infinity();
  std::fill(candidate_.begin(), candidate_.end(), 0.0);
  set_->project(candidate_);  // the origin itself, where it is in the set
  theta_ = candidate_;
  try_start(quadratic, ridge);

  std::vector<double> direction(quadratic.cross.begin(), quadratic.cross.end());
  for (double& entry : direction) entry = -entry;
  set_->minimise_linear(direction, candidate_);
  try_start(quadratic, ridge);

  for (const std::vector<double>& vertex : best_axis_vertices(quadratic, ridge)) {
    candidate_ = vertex;
    try_start(quadratic, ridge);
  }
}

// Descends from candidate_ and keeps the end if it is the lowest yet.
void AcceleratedSolver::try_start(const Quadratic& quadratic, double ridge) {
  const DescentResult end = descent_.run(quadratic, ridge, kScreeningGap, kScreeningIterations, candidate_);
  report_.iterations += end.iterations;
  if (end.objective < report_.objective) {
    report_.objective = end.objective;
    theta_ = candidate_;
  }
}

std::vector<std::vector<double>> AcceleratedSolver::best_axis_vertices(const Quadratic& quadratic, double ridge) {
  const std::size_t d = quadratic.dimension;
  struct Scored {
    double value;
    std::size_t axis;
    double sign;
  };
  std::vector<Scored> scored;
  std::vector<double> direction(d, 0.0);
  std::vector<std::size_t> support;
  // Sparse vertices (L1) cost O(d) each; dense ones O(d^2), so the scan is bounded to a few matrix products in all.
  const std::size_t most_work = 20 * d * d + 1000;
  std::size_t work = 0;
  for (std::size_t axis = 0; axis < d && work <= most_work; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      direction[axis] = sign;
      set_->minimise_linear(direction, candidate_);
      support.clear();
      for (std::size_t i = 0; i < d; ++i) {
        if (candidate_[i] != 0.0) support.push_back(i);
      }
      double value = 0.0;
      for (const std::size_t i : support) {
        double image = ridge * candidate_[i];
        for (const std::size_t j : support) image += quadratic.gram[i * d + j] * candidate_[j];
        value += candidate_[i] * (image - 2.0 * quadratic.cross[i]);
      }
      scored.push_back({value, axis, sign});
      work += d + support.size() * support.size();
    }
    direction[axis] = 0.0;
  }
  const std::size_t kept = std::min(kAxisStarts, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(kept), scored.end(),
                    [](const Scored& a, const Scored& b) { return a.value < b.value; });
  std::vector<std::vector<double>> vertices;
  for (std::size_t k = 0; k < kept; ++k) {
    direction[scored[k].axis] = scored[k].sign;
    set_->minimise_linear(direction, candidate_);
    direction[scored[k].axis] = 0.0;
    vertices.push_back(candidate_);
  }
  return vertices;
}

}  // namespace rivulet::solve
