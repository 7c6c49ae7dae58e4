#include "solve/descent.h"

#include <algorithm>
#include <cmath>

#include "solve/vector_math.h"

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

}  // namespace rivulet::solve
