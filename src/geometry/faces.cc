#include "geometry/faces.h"

#include <algorithm>
#include <cmath>
#include <functional>
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
  std::vector<std::size_t> chosen;
  if (count >= scores.size()) {
    chosen.resize(scores.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  if (count == 0) return chosen;
  // The count-th largest score; all above it are chosen, and of those equal to it the first.
  std::vector<double> order(scores.begin(), scores.end());
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(order.begin(), last, order.end(), std::greater<>());
  const double threshold = *last;
  auto equal = static_cast<std::size_t>(std::count(order.begin(), last + 1, threshold));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > threshold) {
      chosen.push_back(i);
    } else if (scores[i] == threshold && equal > 0) {
      chosen.push_back(i);
      --equal;
    }
  }
  return chosen;
}

std::vector<std::size_t> largest_magnitudes(std::span<const double> entries, std::size_t count) {
  std::vector<double> scores(entries.begin(), entries.end());
  for (double& score : scores) score = std::abs(score);
  return largest_scores(scores, count);
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
