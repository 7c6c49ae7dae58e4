#include "solve/accelerated.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet::solve {
namespace {

// Steps along sparse directions see far less curvature than the largest eigenvalue, so the estimate is let down a
// little every iteration and raised again only when a step disproves it.
constexpr double kCurvatureDecay = 0.97;
constexpr double kCurvatureMargin = 1.05;
// In diameters of the set: a longer step projects to the same face, and might overflow where the objective is all but
// linear.
constexpr double kLongestStep = 1e8;
constexpr std::size_t kFinishingSteps = 20;

// Q + ridge I for a matrix Q.
class DenseOperator final : public QuadraticOperator {
 public:
  DenseOperator(const Quadratic& quadratic, double ridge) : quadratic_(&quadratic), ridge_(ridge) {}

  void multiply(std::span<const double> theta, std::span<double> out) const override {
    quadratic_->multiply(theta, out);
    if (ridge_ != 0.0) add_multiple(ridge_, theta.data(), out.data(), theta.size());
  }
  [[nodiscard]] std::span<const double> cross() const override { return quadratic_->cross; }
  [[nodiscard]] double first_curvature() const override {
    const std::size_t d = quadratic_->dimension;
    double curvature = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
      curvature = std::max(curvature, std::abs(quadratic_->gram[i * d + i] + ridge_));
    }
    return curvature;
  }

 private:
  const Quadratic* quadratic_;
  double ridge_;
};

}  // namespace

Descent::Descent(std::shared_ptr<const ConstraintSet> set) : set_(std::move(set)) {
  const std::size_t d = set_->dimension();
  for (auto* memory : {&theta_, &theta_image_, &previous_, &previous_image_, &ahead_, &ahead_image_, &trial_,
                       &trial_image_, &vertex_, &slope_}) {
    memory->resize(d);
  }
}

double Descent::value(std::span<const double> point, std::span<const double> image) const {
  return dot(point, image) - 2.0 * dot(cross_, point);
}

double Descent::find_gap() {
  double gap = 0.0;
  for (std::size_t i = 0; i < slope_.size(); ++i) slope_[i] = theta_image_[i] - cross_[i];
  set_->minimise_linear(slope_, vertex_);
  for (std::size_t i = 0; i < slope_.size(); ++i) gap += slope_[i] * (theta_[i] - vertex_[i]);
  return std::max(0.0, 2.0 * gap);
}

bool Descent::frank_wolfe_step(DescentResult& result) {
  operator_->multiply(vertex_, trial_image_);
  double bend = 0.0;
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    bend += (vertex_[i] - theta_[i]) * (trial_image_[i] - theta_image_[i]);
  }
  const double length = bend > 0.0 ? std::min(1.0, 0.5 * result.gap / bend) : 1.0;
  for (std::size_t i = 0; i < theta_.size(); ++i) trial_[i] = theta_[i] + length * (vertex_[i] - theta_[i]);
  set_->project(trial_);
  operator_->multiply(trial_, trial_image_);
  const double reached = value(trial_, trial_image_);
  if (!(reached < result.objective)) return false;
  std::swap(theta_, trial_);
  std::swap(theta_image_, trial_image_);
  result.objective = reached;
  return true;
}

void Descent::gradient_step() {
  double steepest = 0.0;
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    steepest = std::max(steepest, std::abs(ahead_image_[i] - cross_[i]));
  }
  curvature_ = std::max(curvature_, steepest / (kLongestStep * set_->diameter()));
  for (;;) {
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      trial_[i] = ahead_[i] - (ahead_image_[i] - cross_[i]) / curvature_;
    }
    set_->project(trial_);
    operator_->multiply(trial_, trial_image_);
    double length = 0.0;
    double bend = 0.0;
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      const double difference = trial_[i] - ahead_[i];
      length += difference * difference;
      bend += difference * (trial_image_[i] - ahead_image_[i]);
    }
    if (!(bend > curvature_ * length * (1.0 + 1e-9))) return;
    curvature_ = kCurvatureMargin * bend / length;
  }
}

DescentResult Descent::run(const Quadratic& quadratic, double ridge, double relative_gap, std::size_t max_iterations,
                           std::span<double> theta) {
  return run(DenseOperator(quadratic, ridge), relative_gap, max_iterations, theta);
}

DescentResult Descent::run(const QuadraticOperator& objective, double relative_gap, std::size_t max_iterations,
                           std::span<double> theta) {
  operator_ = &objective;
  cross_ = objective.cross();
  const std::size_t d = theta.size();
  // A start only. Steps raise it where they find more.
  curvature_ = objective.first_curvature();

  std::copy(theta.begin(), theta.end(), theta_.begin());
  operator_->multiply(theta_, theta_image_);
  previous_ = theta_;
  previous_image_ = theta_image_;
  DescentResult result;
  result.objective = value(theta_, theta_image_);

  double momentum = 1.0;
  for (; result.iterations < max_iterations; ++result.iterations) {
    result.gap = find_gap();
    if (result.gap <= relative_gap * std::abs(result.objective)) break;

    const double next_momentum = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double beta = (momentum - 1.0) / next_momentum;
    for (std::size_t i = 0; i < d; ++i) {
      ahead_[i] = theta_[i] + beta * (theta_[i] - previous_[i]);
      ahead_image_[i] = theta_image_[i] + beta * (theta_image_[i] - previous_image_[i]);
    }
    gradient_step();
    const double reached = value(trial_, trial_image_);
    if (!(reached < result.objective)) {
      if (momentum == 1.0) break;  // a plain gradient step gains nothing: rounding has the last word
      momentum = 1.0;
      continue;
    }
    // The momentum points uphill: drop it before it carries further.
    double uphill = 0.0;
    for (std::size_t i = 0; i < d; ++i) uphill += (ahead_[i] - trial_[i]) * (trial_[i] - theta_[i]);
    momentum = uphill > 0.0 ? 1.0 : next_momentum;

    std::swap(previous_, theta_);
    std::swap(previous_image_, theta_image_);
    std::swap(theta_, trial_);
    std::swap(theta_image_, trial_image_);
    result.objective = reached;
    curvature_ *= kCurvatureDecay;
  }

  result.gap = find_gap();
  for (std::size_t step = 0; step < kFinishingSteps; ++step) {
    if (result.gap <= relative_gap * std::abs(result.objective) || !frank_wolfe_step(result)) break;
    result.gap = find_gap();
  }
  std::copy(theta_.begin(), theta_.end(), theta.begin());
  return result;
}

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
