#include "solve/image_minimiser.h"

#include <algorithm>
#include <cmath>

#include "solve/descent.h"
#include "solve/lower_triangle.h"
#include "solve/vector_math.h"
#include "solve/working_least_squares.h"

namespace rivulet::solve {
namespace {

constexpr double kRelativeGap = 1e-8;
// Where the working sets end with more than this, a convex problem is refined by Newton's method.
constexpr double kGoodGap = 1e-7;
constexpr std::size_t kMostIterations = 2000;
constexpr double kScreeningGap = 1e-4;
constexpr std::size_t kScreeningIterations = 200;

// Phi^T Q Phi, without ever being formed.
class ImageOperator final : public QuadraticOperator {
 public:
  ImageOperator(const LinearMap& map, const Quadratic& quadratic)
      : map_(&map), quadratic_(&quadratic), image_(map.rows()), product_(map.rows()), cross_(map.columns()) {
    map.apply_transpose(quadratic.cross, cross_);
  }

  void multiply(std::span<const double> theta, std::span<double> out) const override {
    map_->apply(theta, image_);
    quadratic_->multiply(image_, product_);
    map_->apply_transpose(product_, out);
  }
  [[nodiscard]] std::span<const double> cross() const override { return cross_; }
  [[nodiscard]] double first_curvature() const override {
    const std::size_t m = quadratic_->dimension;
    double curvature = 0.0;
    for (std::size_t i = 0; i < m; ++i) curvature = std::max(curvature, std::abs(quadratic_->gram[i * m + i]));
    return curvature;
  }

 private:
  const LinearMap* map_;
  const Quadratic* quadratic_;
  mutable std::vector<double> image_, product_;
  std::vector<double> cross_;
};

double largest_diagonal(const Quadratic& quadratic) {
  double largest = 0.0;
  for (std::size_t i = 0; i < quadratic.dimension; ++i) {
    largest = std::max(largest, std::abs(quadratic.gram[i * quadratic.dimension + i]));
  }
  return largest;
}

}  // namespace

ImageMinimiser::ImageMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map)
    : set_(std::move(set)),
      map_(std::move(map)),
      objective_(*set_, *map_),
      working_set_(*set_, *map_),
      cholesky_(map_->rows()) {
  const auto& faces = dynamic_cast<const geometry::Faces&>(*set_);
  const std::vector<double> anywhere(map_->columns(), 1.0);
  by_columns_ = map_->columns() <= ImageWorkingSet::kAllColumns || !faces.most_promising(anywhere, 1).empty();
}

// A singular but positive semidefinite matrix is convex too; the margin is far below anything that shows in the result.
bool ImageMinimiser::certainly_convex(const Quadratic& quadratic) {
  const double m = static_cast<double>(quadratic.dimension);
  for (std::size_t i = 0; i < quadratic.dimension; ++i) {
    if (quadratic.gram[i * quadratic.dimension + i] < 0.0) return false;
  }
  return cholesky_.factor(quadratic.gram, 1e-11 * m * largest_diagonal(quadratic));
}

MinimiserEnd ImageMinimiser::run(const Quadratic& quadratic, bool has_start, std::span<double> theta) {
  const bool convex = certainly_convex(quadratic);
  if (by_columns_) {
    const MinimiserEnd end = working_set_.run(quadratic, convex, has_start, theta);
    if (!convex || end.gap <= kGoodGap * std::abs(end.objective)) return end;
    std::vector<double> refined(theta.begin(), theta.end());
    MinimiserEnd better = by_newton(quadratic, refined);
    better.iterations += end.iterations;
    if (!(better.objective <= end.objective)) return end;
    std::copy(refined.begin(), refined.end(), theta.begin());
    return better;
  }
  if (!convex) return by_descent(quadratic, has_start, theta);
  if (!has_start) {
    std::fill(theta.begin(), theta.end(), 0.0);
    set_->project(theta);
  }
  return by_newton(quadratic, theta);
}

// With Q = L L^T the objective is ||L^T Phi theta - b||^2 - ||b||^2, L b = q.
MinimiserEnd ImageMinimiser::by_newton(const Quadratic& quadratic, std::span<double> theta) {
  const std::size_t m = quadratic.dimension;
  std::vector<double> factor;
  const double shift = 1e-11 * static_cast<double>(m) * largest_diagonal(quadratic);
  if (!lower_factor(quadratic.gram, 0.0, factor) && !lower_factor(quadratic.gram, shift, factor)) {
    return objective_.look(quadratic, theta);
  }
  std::vector<double> target(m);
  for (std::size_t i = 0; i < m; ++i) {
    target[i] = (quadratic.cross[i] - dot(factor.data() + i * m, target.data(), i)) / factor[i * m + i];
  }
  WorkingLeastSquares least_squares(*set_, *map_);
  least_squares.begin(factor);
  LeastSquaresEnd reached = least_squares.run(target, 1.0, 1e-3, 0.0, theta);
  std::size_t steps = reached.steps;
  const double objective = std::abs(reached.residual * reached.residual - dot(target, target));
  reached = least_squares.run(target, 1.0, 0.0, 0.3 * kRelativeGap * objective, theta);
  steps += reached.steps;
  set_->project(theta);
  MinimiserEnd end = objective_.look(quadratic, theta);
  end.iterations = steps;
  return end;
}

MinimiserEnd ImageMinimiser::by_descent(const Quadratic& quadratic, bool has_start, std::span<double> theta) {
  const ImageOperator objective(*map_, quadratic);
  Descent descent(set_);
  MinimiserEnd end;
  double lowest = INFINITY;
  std::vector<double> candidate(theta.size());
  const auto attempt = [&] {
    const DescentResult reached = descent.run(objective, kScreeningGap, kScreeningIterations, candidate);
    end.iterations += reached.iterations;
    if (reached.objective < lowest) {
      lowest = reached.objective;
      std::copy(candidate.begin(), candidate.end(), theta.begin());
    }
  };
  if (has_start) {
    std::copy(theta.begin(), theta.end(), candidate.begin());
    attempt();
  }
  std::fill(candidate.begin(), candidate.end(), 0.0);
  set_->project(candidate);
  attempt();
  std::vector<double> direction(objective.cross().begin(), objective.cross().end());
  for (double& entry : direction) entry = -entry;
  set_->minimise_linear(direction, candidate);
  attempt();
  map_->apply_transpose(low_direction(quadratic), direction);
  for (int sign = 0; sign < 2; ++sign) {
    set_->minimise_linear(direction, candidate);
    attempt();
    for (double& entry : direction) entry = -entry;
  }
  end.iterations += descent.run(objective, kRelativeGap, kMostIterations, theta).iterations;
  const MinimiserEnd now = objective_.look(quadratic, theta);
  end.objective = now.objective;
  end.gap = now.gap;
  return end;
}

}  // namespace rivulet::solve
