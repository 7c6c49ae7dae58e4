// Sets of every kind for property tests, and the few vector operations those need.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rivulet/constraint.h"

namespace rivulet::geometry {

using Point = std::vector<double>;
using Set = std::shared_ptr<const ConstraintSet>;

inline double dot(const Point& a, const Point& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double norm(const Point& a) {
  return std::sqrt(dot(a, a));
}

inline Point minus(const Point& a, const Point& b) {
  Point difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return difference;
}

inline Point times(double factor, Point a) {
  for (double& entry : a) entry *= factor;
  return a;
}

inline Point projected(const ConstraintSet& set, Point point) {
  set.project(point);
  return point;
}

inline Point random_point(std::mt19937_64& generator, std::size_t dimension, double scale) {
  std::normal_distribution<double> normal;
  Point point(dimension);
  for (double& entry : point) entry = scale * normal(generator);
  return point;
}

// Normal points with zeros, ties and a few large entries.
inline Point awkward_point(std::mt19937_64& generator, std::size_t dimension, double scale) {
  Point point = random_point(generator, dimension, scale);
  for (std::size_t i = 0; i < dimension; ++i) {
    switch (generator() % 6) {
      case 0:
        point[i] = 0.0;
        break;
      case 1:
        point[i] = scale;
        break;
      case 2:
        point[i] = point[0];
        break;
      case 3:
        point[i] *= 20.0;
        break;
      default:
        break;
    }
  }
  return point;
}

// Random vertices, some of them inside the hull of the others, one twice. The mirror image of their mean puts the
// origin inside; the hull is otherwise lopsided.
inline Point random_vertices(std::mt19937_64& generator, std::size_t dimension, std::size_t count, double scale) {
  Point vertices;
  Point mean(dimension, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    const Point vertex = random_point(generator, dimension, scale);
    vertices.insert(vertices.end(), vertex.begin(), vertex.end());
    for (std::size_t i = 0; i < dimension; ++i) mean[i] += vertex[i] / static_cast<double>(count);
  }
  for (const double entry : mean) vertices.push_back(-1.5 * entry);
  vertices.insert(vertices.end(), vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(dimension));
  return vertices;
}

inline std::vector<std::size_t> random_sizes(std::mt19937_64& generator, std::size_t dimension) {
  std::vector<std::size_t> sizes;
  for (std::size_t left = dimension; left > 0; left -= sizes.back())
    sizes.push_back(1 + generator() % std::min<std::size_t>(left, 4));
  return sizes;
}

// One or more of each kind.
inline std::vector<Set> every_set(std::mt19937_64& generator, std::size_t dimension, double scale) {
  std::vector<Set> sets;
  sets.push_back(make_l2_ball(dimension, scale));
  sets.push_back(make_l1_ball(dimension, scale));
  for (const double p : {1.01, 1.2, 1.5, 1.95}) sets.push_back(make_lp_ball(dimension, p, scale));
  sets.push_back(make_simplex(dimension, scale));
  sets.push_back(make_group_ball(random_sizes(generator, dimension), scale));
  sets.push_back(make_group_ball(std::vector<std::size_t>(dimension, 1), scale));
  sets.push_back(make_box(dimension, -scale, 0.3 * scale));
  sets.push_back(make_box(dimension, 0.0, scale));
  for (const double share : {0.01, 0.5, 0.99}) sets.push_back(make_elastic_ball(dimension, share, scale));
  sets.push_back(make_polytope(dimension, random_vertices(generator, dimension, dimension + 3, scale)));
  return sets;
}

inline bool holds_the_origin(const ConstraintSet& set) {
  return !set.name().starts_with("simplex");
}

}  // namespace rivulet::geometry
