#include "geometry/faces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rivulet::geometry {

void ProjectionDerivative::apply(std::span<const double> direction, std::span<double> out) const {
  for (std::size_t i = 0; i < active.size(); ++i) out[i] = weight[i] * direction[i];
  std::size_t begin = 0;
  for (const std::size_t size : block_sizes) {
    double along = 0.0;
    for (std::size_t i = begin; i < begin + size; ++i) along += axis[i] * direction[i];
    for (std::size_t i = begin; i < begin + size; ++i) out[i] += axis[i] * along;
    begin += size;
  }
  if (normal.empty()) return;
  double along = 0.0;
  for (std::size_t i = 0; i < active.size(); ++i) along += normal[i] * direction[i];
  for (std::size_t i = 0; i < active.size(); ++i) out[i] -= normal[i] * along;
}

ProjectionDerivative ProjectionDerivative::identity(std::size_t dimension) {
  ProjectionDerivative result;
  result.active.resize(dimension);
  std::iota(result.active.begin(), result.active.end(), std::size_t{0});
  result.weight.assign(dimension, 1.0);
  return result;
}

std::vector<std::size_t> largest_scores(std::span<const double> scores, std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count >= order.size()) return order;
  // Ties by index, so that the answer does not depend on how the library selects.
  std::nth_element(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); });
  order.resize(count);
  return order;
}

ProjectionDerivative surface_derivative(std::vector<std::size_t> active, std::vector<double> weight,
                                        std::vector<double> normal) {
  double squares = 0.0;
  for (std::size_t i = 0; i < normal.size(); ++i) squares += weight[i] * normal[i] * normal[i];
  if (squares > 0.0) {
    const double length = std::sqrt(squares);
    for (std::size_t i = 0; i < normal.size(); ++i) normal[i] *= weight[i] / length;
  } else {
    normal.clear();
  }
  ProjectionDerivative result;
  result.active = std::move(active);
  result.weight = std::move(weight);
  result.normal = std::move(normal);
  return result;
}

}  // namespace rivulet::geometry
