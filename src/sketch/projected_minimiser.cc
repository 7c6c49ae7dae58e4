#include "sketch/projected_minimiser.h"

#include <algorithm>
#include <cmath>

#include "sketch/projected_least_squares.h"
#include "solve/accelerated.h"
#include "solve/cholesky.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::add_multiple;
using solve::dot;
using solve::norm;
namespace {

constexpr double kRelativeGap = 1e-8;
// Where the working sets end with more than this, a convex problem is refined by Newton's method.
constexpr double kGoodGap = 1e-7;
constexpr std::size_t kMostIterations = 2000;
constexpr double kScreeningGap = 1e-4;
constexpr std::size_t kScreeningIterations = 200;

// Phi^T Q Phi, without ever being formed.
class ProjectedOperator final : public solve::QuadraticOperator {
 public:
  ProjectedOperator(const LinearMap& map, const solve::Quadratic& quadratic)
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
  const solve::Quadratic* quadratic_;
  mutable std::vector<double> image_, product_;
  std::vector<double> cross_;
};

double largest_diagonal(const solve::Quadratic& quadratic) {
  double largest = 0.0;
  for (std::size_t i = 0; i < quadratic.dimension; ++i) {
    largest = std::max(largest, std::abs(quadratic.gram[i * quadratic.dimension + i]));
  }
  return largest;
}

}  // namespace

ProjectedMinimiser::ProjectedMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map)
    : set_(std::move(set)),
      map_(std::move(map)),
      objective_(*set_, *map_),
      working_set_(*set_, *map_),
      cholesky_(map_->rows()) {
  const auto& faces = dynamic_cast<const geometry::Faces&>(*set_);
  const std::vector<double> anywhere(map_->columns(), 1.0);
  by_columns_ = map_->columns() <= WorkingSet::kAllColumns || !faces.most_promising(anywhere, 1).empty();
}

// A singular but positive semidefinite matrix is convex too; the margin is far below anything that shows in the result.
bool ProjectedMinimiser::certainly_convex(const solve::Quadratic& quadratic) {
  const double m = static_cast<double>(quadratic.dimension);
  for (std::size_t i = 0; i < quadratic.dimension; ++i) {
    if (quadratic.gram[i * quadratic.dimension + i] < 0.0) return false;
  }
  return cholesky_.factor(quadratic.gram, 1e-11 * m * largest_diagonal(quadratic));
}

MinimiserEnd ProjectedMinimiser::run(const solve::Quadratic& quadratic, bool has_start, std::span<double> theta) {
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
MinimiserEnd ProjectedMinimiser::by_newton(const solve::Quadratic& quadratic, std::span<double> theta) {
  const std::size_t m = quadratic.dimension;
  std::vector<double> factor;
  const double shift = 1e-11 * static_cast<double>(m) * largest_diagonal(quadratic);
  if (!solve::lower_factor(quadratic.gram, 0.0, factor) && !solve::lower_factor(quadratic.gram, shift, factor)) {
    return objective_.evaluate(quadratic, theta);
  }
  std::vector<double> target(quadratic.cross.begin(), quadratic.cross.end());
  solve::solve_lower(factor, target);
  WorkingLeastSquares least_squares(*set_, *map_);
  least_squares.begin(factor);
  LeastSquaresEnd reached = least_squares.run(target, 1.0, 1e-3, 0.0, theta);
  std::size_t steps = reached.steps;
  const double objective = std::abs(reached.residual * reached.residual - dot(target, target));
  reached = least_squares.run(target, 1.0, 0.0, 0.3 * kRelativeGap * objective, theta);
  steps += reached.steps;
  set_->project(theta);
  MinimiserEnd end = objective_.evaluate(quadratic, theta);
  end.iterations = steps;
  return end;
}

MinimiserEnd ProjectedMinimiser::by_descent(const solve::Quadratic& quadratic, bool has_start,
                                            std::span<double> theta) {
  const ProjectedOperator objective(*map_, quadratic);
  solve::Descent descent(set_);
  MinimiserEnd end;
  double lowest = INFINITY;
  std::vector<double> candidate(theta.size());
  const auto attempt = [&] {
    const solve::DescentResult reached = descent.run(objective, kScreeningGap, kScreeningIterations, candidate);
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
  const MinimiserEnd now = objective_.evaluate(quadratic, theta);
  end.objective = now.objective;
  end.gap = now.gap;
  return end;
}

namespace {

// A pivot below this fraction of the largest says that the rows are dependent.
constexpr double kLeastPivot = 1e-10;

std::vector<double> row_products(const LinearMap& map) {
  const std::size_t m = map.rows();
  std::vector<double> products(m * m, 0.0);
  std::vector<double> column(m);
  std::vector<std::size_t> rows;
  for (std::size_t j = 0; j < map.columns(); ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    map.add_column(j, 1.0, column);
    rows.clear();
    for (std::size_t i = 0; i < m; ++i) {
      if (column[i] != 0.0) rows.push_back(i);
    }
    if (rows.size() * 4 < m) {
      for (const std::size_t i : rows) {
        for (const std::size_t k : rows) products[i * m + k] += column[i] * column[k];
      }
    } else {
      for (const std::size_t i : rows) add_multiple(column[i], column.data(), products.data() + i * m, i + 1);
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = i + 1; k < m; ++k) products[i * m + k] = products[k * m + i];
  }
  return products;
}

// L^T Q L.
std::vector<double> whitened(std::span<const double> factor, const solve::Quadratic& quadratic) {
  const std::size_t m = quadratic.dimension;
  std::vector<double> product(m * m, 0.0);  // Q L
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) {
      add_multiple(quadratic.gram[i * m + k], factor.data() + k * m, product.data() + i * m, k + 1);
    }
  }
  std::vector<double> gram(m * m, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i <= k; ++i) {
      add_multiple(factor[k * m + i], product.data() + k * m, gram.data() + i * m, m);
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = i + 1; k < m; ++k) {
      gram[i * m + k] = gram[k * m + i] = 0.5 * (gram[i * m + k] + gram[k * m + i]);
    }
  }
  return gram;
}

}  // namespace

std::unique_ptr<ProjectedEllipsoid> ProjectedEllipsoid::make(const LinearMap& map) {
  if (map.rows() > map.columns()) return nullptr;
  std::vector<double> factor;
  if (!solve::lower_factor(row_products(map), 0.0, factor)) return nullptr;
  const std::size_t m = map.rows();
  double largest = 0.0;
  double least = INFINITY;
  for (std::size_t i = 0; i < m; ++i) {
    largest = std::max(largest, factor[i * m + i]);
    least = std::min(least, factor[i * m + i]);
  }
  if (!(least * least > kLeastPivot * largest * largest)) return nullptr;
  return std::unique_ptr<ProjectedEllipsoid>(new ProjectedEllipsoid(map, std::move(factor)));
}

ProjectedEllipsoid::ProjectedEllipsoid(const LinearMap& map, std::vector<double> factor)
    : map_(&map), factor_(std::move(factor)), trust_region_(map.rows()) {}

void ProjectedEllipsoid::from_ball(std::span<const double> w, std::span<double> theta) const {
  std::vector<double> v(w.begin(), w.end());
  solve::solve_lower_transposed(factor_, v);
  map_->apply_transpose(v, theta);
}

void ProjectedEllipsoid::minimise(const solve::Quadratic& quadratic, double radius, std::span<double> theta) {
  const std::vector<double> gram = whitened(factor_, quadratic);
  std::vector<double> cross(quadratic.dimension);
  solve::multiply_lower_transposed(factor_, quadratic.cross, cross);
  from_ball(trust_region_.solve({quadratic.dimension, gram, cross}, 0.0, radius), theta);
}

double ProjectedEllipsoid::lift(std::span<const double> image, double radius, std::span<double> theta) {
  std::vector<double> w(image.begin(), image.end());
  solve::solve_lower(factor_, w);
  const double length = norm(w);
  if (length <= radius) {
    from_ball(w, theta);
    return length;
  }
  const std::size_t m = image.size();
  std::vector<double> identity(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) identity[i * m + i] = 1.0;
  minimise({m, identity, image}, radius, theta);
  return length;
}

}  // namespace rivulet::sketch
