#include "solve/image_minimiser.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "solve/accelerated.h"
#include "solve/descent.h"
#include "solve/lower_triangle.h"
#include "solve/vector_math.h"
#include "solve/working_least_squares.h"

namespace rivulet::solve {
namespace {

constexpr double kRelativeGap = 1e-8;
constexpr std::size_t kMostIterations = 2000;
// Up to this many columns the problem is taken whole.
constexpr std::size_t kAllColumns = 256;
// How many sparse points of K each criterion adds to the first working set, and a round to a later one.
constexpr std::size_t kFirstPromising = 48;
constexpr std::size_t kPromising = 32;
constexpr std::size_t kMostRounds = 60;
constexpr std::size_t kMostAxisWork = std::size_t{1} << 24;  // multiplications

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

// A direction of low curvature: power iterations on (bound I - Q), from a fixed start.
std::vector<double> low_direction(const Quadratic& quadratic) {
  const std::size_t m = quadratic.dimension;
  double bound = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < m; ++j) sum += std::abs(quadratic.gram[i * m + j]);
    bound = std::max(bound, sum);
  }
  std::vector<double> v(m);
  std::vector<double> image(m);
  for (std::size_t i = 0; i < m; ++i) v[i] = 1.0 + 0.5 * static_cast<double>((i * 7919) % 11) / 11.0;
  for (int step = 0; step < 60; ++step) {
    quadratic.multiply(v, image);
    for (std::size_t i = 0; i < m; ++i) image[i] = bound * v[i] - image[i];
    const double length = norm(image);
    if (!(length > 0.0)) break;
    for (std::size_t i = 0; i < m; ++i) v[i] = image[i] / length;
  }
  return v;
}

std::vector<std::size_t> support_of(std::span<const double> theta) {
  std::vector<std::size_t> support;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (theta[i] != 0.0) support.push_back(i);
  }
  return support;
}

}  // namespace

ImageMinimiser::ImageMinimiser(std::shared_ptr<const ConstraintSet> set, std::shared_ptr<const LinearMap> map)
    : set_(std::move(set)),
      map_(std::move(map)),
      faces_(dynamic_cast<const geometry::Faces*>(set_.get())),
      columns_(*map_),
      cholesky_(map_->rows()),
      image_(map_->rows()),
      product_(map_->rows()),
      slope_(map_->columns()),
      vertex_(map_->columns()) {
  if (faces_ == nullptr) throw std::logic_error("an image of a set that does not know its faces");
  sparse_ = !faces_->most_promising(std::vector<double>(map_->columns(), 1.0), 1).empty();
}

bool ImageMinimiser::certainly_convex(const Quadratic& quadratic) {
  const double m = static_cast<double>(quadratic.dimension);
  for (std::size_t i = 0; i < quadratic.dimension; ++i) {
    if (quadratic.gram[i * quadratic.dimension + i] < 0.0) return false;
  }
  return cholesky_.factor(quadratic.gram, 1e-11 * m * largest_diagonal(quadratic));
}

MinimiserEnd ImageMinimiser::look(const Quadratic& quadratic, std::span<const double> theta) {
  map_->apply(theta, image_);
  return look_at_image(quadratic);
}

MinimiserEnd ImageMinimiser::look(const Quadratic& quadratic, const ImageProblem& problem,
                                  std::span<const double> theta) {
  problem.image_of(theta, image_);
  return look_at_image(quadratic);
}

MinimiserEnd ImageMinimiser::look_at_image(const Quadratic& quadratic) {
  quadratic.multiply(image_, product_);
  MinimiserEnd end;
  end.objective = dot(image_, product_) - 2.0 * dot(quadratic.cross, image_);
  for (std::size_t i = 0; i < product_.size(); ++i) product_[i] -= quadratic.cross[i];
  map_->apply_transpose(product_, slope_);
  set_->minimise_linear(slope_, vertex_);
  end.gap = std::max(0.0, 2.0 * (dot(product_, image_) - dot(slope_, vertex_)));
  return end;
}

MinimiserEnd ImageMinimiser::run(const Quadratic& quadratic, bool has_start, std::span<double> theta) {
  std::vector<double> start;
  if (has_start) start.assign(theta.begin(), theta.end());
  const bool whole = map_->columns() <= kAllColumns;
  MinimiserEnd end;
  if (whole || sparse_) {
    end = by_working_sets(quadratic, has_start, theta);
  } else if (certainly_convex(quadratic)) {
    if (!has_start) {
      std::fill(theta.begin(), theta.end(), 0.0);
      set_->project(theta);
    }
    end = by_newton(quadratic, theta);
  } else {
    end = by_descent(quadratic, has_start, theta);
  }
  if (has_start) {
    const MinimiserEnd at_start = look(quadratic, start);
    if (!(end.objective <= at_start.objective)) {
      std::copy(start.begin(), start.end(), theta.begin());
      const std::size_t iterations = end.iterations;
      end = at_start;
      end.iterations = iterations;
    }
  }
  return end;
}

void ImageMinimiser::first_columns(const Quadratic& quadratic, bool has_start, std::span<const double> theta) {
  columns_.reset(quadratic);
  if (map_->columns() <= kAllColumns) {
    std::vector<std::size_t> all(map_->columns());
    std::iota(all.begin(), all.end(), std::size_t{0});
    columns_.add(all);
    return;
  }
  if (has_start) {
    columns_.add(support_of(theta));
    look(quadratic, theta);
    columns_.add(faces_->most_promising(slope_, kFirstPromising));
  }
  map_->apply_transpose(quadratic.cross, slope_);
  std::vector<double> cross = slope_;
  for (double& entry : slope_) entry = -entry;
  columns_.add(faces_->most_promising(slope_, kFirstPromising));
  add_low_axes(quadratic, cross);
}

// K holds the points +-diameter * e_i (on the simplex, + only): those with the lowest objectives, among the columns
// that fit the cross moments best if there are too many to look at.
void ImageMinimiser::add_low_axes(const Quadratic& quadratic, std::span<const double> cross) {
  const std::size_t m = map_->rows();
  std::vector<double> dense(m);
  std::fill(dense.begin(), dense.end(), 0.0);
  map_->add_column(0, 1.0, dense);
  const auto zeros = static_cast<std::size_t>(std::count(dense.begin(), dense.end(), 0.0));
  const std::size_t weight = m - zeros + 1;
  const std::size_t affordable = kMostAxisWork / (weight * weight + 4 * m);
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
      for (const std::size_t other : rows) sum += quadratic.gram[row * m + other] * dense[other];
      curvature += dense[row] * sum;
    }
    lowness.push_back(2.0 * std::abs(cross[i]) - radius * curvature);
  }
  std::vector<std::size_t> chosen = geometry::largest_scores(lowness, kFirstPromising);
  for (std::size_t& index : chosen) index = candidates[index];
  columns_.add(chosen);
}

MinimiserEnd ImageMinimiser::by_working_sets(const Quadratic& quadratic, bool has_start, std::span<double> theta) {
  first_columns(quadratic, has_start, theta);
  MinimiserEnd end;
  Quadratic part = columns_.restricted();
  std::shared_ptr<const ConstraintSet> face = faces_->restricted(columns_.coordinates());
  std::vector<double> from(part.dimension);
  {
    AcceleratedSolver several(face);
    const auto solution = several.solve(part);
    end.iterations += several.report().iterations;
    double objective = several.report().objective;
    if (has_start) {
      columns_.gather(theta, from);
      face->project(from);
      Descent descent(face);
      const DescentResult reached = descent.run(part, 0.0, kRelativeGap, kMostIterations, from);
      end.iterations += reached.iterations;
      if (reached.objective <= objective) {
        objective = reached.objective;
      } else {
        std::copy(solution.begin(), solution.end(), from.begin());
      }
    } else {
      std::copy(solution.begin(), solution.end(), from.begin());
    }
  }
  columns_.scatter(from, theta);

  std::size_t stalls = 0;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const MinimiserEnd now = look(quadratic, theta);
    end.objective = now.objective;
    end.gap = now.gap;
    if (end.gap <= kRelativeGap * std::abs(end.objective)) return end;
    const std::vector<std::size_t> support = support_of(theta);
    if (columns_.coordinates().size() > 4 * map_->rows() + 2 * kAllColumns) {
      columns_.reset(quadratic);
      columns_.add(support);
    }
    const std::size_t added =
        sparse_ ? columns_.add(faces_->most_promising(slope_, 2 * support.size() + kPromising)) : 0;
    if (added == 0 && ++stalls > 1) break;
    part = columns_.restricted();
    face = faces_->restricted(columns_.coordinates());
    from.resize(part.dimension);
    columns_.gather(theta, from);
    face->project(from);
    Descent descent(face);
    end.iterations += descent.run(part, 0.0, kRelativeGap, kMostIterations, from).iterations;
    columns_.scatter(from, theta);
  }
  if (certainly_convex(quadratic)) {
    const std::size_t iterations = end.iterations;
    std::vector<double> kept(theta.begin(), theta.end());
    const MinimiserEnd refined = by_newton(quadratic, theta);
    if (refined.objective <= end.objective) {
      end = refined;
    } else {
      std::copy(kept.begin(), kept.end(), theta.begin());
    }
    end.iterations += iterations;
  }
  return end;
}

// With Q = L L^T the objective is ||L^T Phi theta - b||^2 - ||b||^2, L b = q.
MinimiserEnd ImageMinimiser::by_newton(const Quadratic& quadratic, std::span<double> theta) {
  const std::size_t m = quadratic.dimension;
  std::vector<double> factor;
  const double shift = 1e-11 * static_cast<double>(m) * largest_diagonal(quadratic);
  if (!lower_factor(quadratic.gram, 0.0, factor) && !lower_factor(quadratic.gram, shift, factor)) {
    return look(quadratic, theta);
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
  MinimiserEnd end = look(quadratic, theta);
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
    const DescentResult reached = descent.run(objective, 1e-4, 200, candidate);
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
  for (std::size_t i = 0; i < theta.size(); ++i) slope_[i] = -objective.cross()[i];
  set_->minimise_linear(slope_, candidate);
  attempt();
  map_->apply_transpose(low_direction(quadratic), vertex_);
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t i = 0; i < theta.size(); ++i) slope_[i] = sign * vertex_[i];
    set_->minimise_linear(slope_, candidate);
    attempt();
  }
  end.iterations += descent.run(objective, kRelativeGap, kMostIterations, theta).iterations;
  const MinimiserEnd now = look(quadratic, theta);
  end.objective = now.objective;
  end.gap = now.gap;
  return end;
}

}  // namespace rivulet::solve
