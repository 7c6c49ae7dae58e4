#include "solve/image_objective.h"

#include <algorithm>
#include <cmath>

#include "solve/vector_math.h"

namespace rivulet::solve {

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

ImageObjective::ImageObjective(const ConstraintSet& set, const LinearMap& map)
    : set_(&set), map_(&map), image_(map.rows()), product_(map.rows()), slope_(map.columns()), vertex_(map.columns()) {}

MinimiserEnd ImageObjective::look(const Quadratic& quadratic, std::span<const double> theta) {
  map_->apply(theta, image_);
  return look_at_image(quadratic, image_);
}

MinimiserEnd ImageObjective::look_at_image(const Quadratic& quadratic, std::span<const double> image) {
  quadratic.multiply(image, product_);
  MinimiserEnd end;
  end.objective = dot(image, product_) - 2.0 * dot(quadratic.cross, image);
  for (std::size_t i = 0; i < product_.size(); ++i) product_[i] -= quadratic.cross[i];
  map_->apply_transpose(product_, slope_);
  set_->minimise_linear(slope_, vertex_);
  end.gap = std::max(0.0, 2.0 * (dot(product_, image) - dot(slope_, vertex_)));
  return end;
}

}  // namespace rivulet::solve
