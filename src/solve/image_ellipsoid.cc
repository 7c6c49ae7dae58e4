#include "solve/image_ellipsoid.h"

#include <algorithm>
#include <cmath>

#include "solve/lower_triangle.h"
#include "solve/vector_math.h"

namespace rivulet::solve {
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
std::vector<double> whitened(std::span<const double> factor, const Quadratic& quadratic) {
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

std::unique_ptr<ImageEllipsoid> ImageEllipsoid::make(const LinearMap& map) {
  if (map.rows() > map.columns()) return nullptr;
  std::vector<double> factor;
  if (!lower_factor(row_products(map), 0.0, factor)) return nullptr;
  const std::size_t m = map.rows();
  double largest = 0.0;
  double least = INFINITY;
  for (std::size_t i = 0; i < m; ++i) {
    largest = std::max(largest, factor[i * m + i]);
    least = std::min(least, factor[i * m + i]);
  }
  if (!(least * least > kLeastPivot * largest * largest)) return nullptr;
  return std::unique_ptr<ImageEllipsoid>(new ImageEllipsoid(map, std::move(factor)));
}

ImageEllipsoid::ImageEllipsoid(const LinearMap& map, std::vector<double> factor)
    : map_(&map), factor_(std::move(factor)), trust_region_(map.rows()) {}

void ImageEllipsoid::from_ball(std::span<const double> w, std::span<double> theta) const {
  std::vector<double> v(w.begin(), w.end());
  solve_lower_transposed(factor_, v);
  map_->apply_transpose(v, theta);
}

void ImageEllipsoid::minimise(const Quadratic& quadratic, double radius, std::span<double> theta) {
  const std::vector<double> gram = whitened(factor_, quadratic);
  std::vector<double> cross(quadratic.dimension);
  multiply_lower_transposed(factor_, quadratic.cross, cross);
  from_ball(trust_region_.solve({quadratic.dimension, gram, cross}, 0.0, radius), theta);
}

double ImageEllipsoid::lift(std::span<const double> image, double radius, std::span<double> theta) {
  std::vector<double> w(image.begin(), image.end());
  solve_lower(factor_, w);
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

}  // namespace rivulet::solve
