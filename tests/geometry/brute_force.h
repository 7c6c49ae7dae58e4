// Nearest points and gauges of small polytopes, by trying all faces and all bases in long double.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "geometry/sets.h"

namespace rivulet::geometry {

using Precise = std::vector<long double>;

// Solves the dense system in place by elimination with full pivoting; false when it is singular.
inline bool solve(std::vector<Precise> matrix, Precise right, Precise& solution) {
  const std::size_t n = right.size();
  std::vector<std::size_t> column(n);
  std::iota(column.begin(), column.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k;
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i) {
      for (std::size_t j = k; j < n; ++j) {
        if (std::abs(matrix[i][j]) > std::abs(matrix[row][best])) {
          row = i;
          best = j;
        }
      }
    }
    if (std::abs(matrix[row][best]) < 1e-12L) return false;
    std::swap(matrix[k], matrix[row]);
    std::swap(right[k], right[row]);
    for (auto& line : matrix) std::swap(line[k], line[best]);
    std::swap(column[k], column[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
      right[i] -= factor * right[k];
    }
  }
  solution.assign(n, 0.0L);
  for (std::size_t k = n; k-- > 0;) {
    long double value = right[k];
    for (std::size_t j = k + 1; j < n; ++j) value -= matrix[k][j] * solution[column[j]];
    solution[column[k]] = value / matrix[k][k];
  }
  return true;
}

// Calls visit() with every set of 1 to `most` of the `count` numbers below it.
template <typename Visit>
void for_subsets(std::size_t count, std::size_t most, const Visit& visit) {
  for (std::size_t mask = 1; mask < (std::size_t{1} << count); ++mask) {
    std::vector<std::size_t> members;
    for (std::size_t j = 0; j < count; ++j) {
      if ((mask >> j) % 2 == 1) members.push_back(j);
    }
    if (members.size() <= most) visit(members);
  }
}

// The nearest point over the relative interiors of all simplices spanned by vertices: the normal equations
// (V V^T + 1 1^T) w = V x + 1 up to a multiplier that the constraint sum w = 1 fixes.
inline Point nearest_by_brute_force(const Point& vertices, const Point& x) {
  const std::size_t d = x.size();
  Point best;
  long double least = std::numeric_limits<long double>::infinity();
  for_subsets(vertices.size() / d, d + 1, [&](const std::vector<std::size_t>& members) {
    const std::size_t n = members.size() + 1;
    std::vector<Precise> matrix(n, Precise(n, 1.0L));
    Precise right(n, 1.0L);
    matrix[n - 1][n - 1] = 0.0L;
    for (std::size_t a = 0; a + 1 < n; ++a) {
      right[a] = 0.0L;
      for (std::size_t i = 0; i < d; ++i) right[a] += static_cast<long double>(vertices[members[a] * d + i]) * x[i];
      for (std::size_t b = 0; b + 1 < n; ++b) {
        matrix[a][b] = 0.0L;
        for (std::size_t i = 0; i < d; ++i) {
          matrix[a][b] += static_cast<long double>(vertices[members[a] * d + i]) * vertices[members[b] * d + i];
        }
      }
    }
    Precise weights;
    if (!solve(matrix, right, weights)) return;
    Point candidate(d);
    long double distance = 0.0L;
    for (std::size_t i = 0; i < d; ++i) {
      long double entry = 0.0L;
      for (std::size_t a = 0; a + 1 < n; ++a) entry += weights[a] * vertices[members[a] * d + i];
      candidate[i] = static_cast<double>(entry);
      distance += (entry - x[i]) * (entry - x[i]);
    }
    for (std::size_t a = 0; a + 1 < n; ++a) {
      if (weights[a] < -1e-15L) return;
    }
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  });
  return best;
}

// min sum(l), V^T l = x, l >= 0: over all bases.
inline double gauge_by_brute_force(const Point& vertices, const Point& x) {
  const std::size_t d = x.size();
  double least = std::numeric_limits<double>::infinity();
  for_subsets(vertices.size() / d, d, [&](const std::vector<std::size_t>& members) {
    if (members.size() != d) return;
    std::vector<Precise> matrix(d, Precise(d));
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t a = 0; a < d; ++a) matrix[i][a] = vertices[members[a] * d + i];
    }
    Precise weights;
    if (!solve(matrix, {x.begin(), x.end()}, weights)) return;
    long double sum = 0.0L;
    for (const long double weight : weights) {
      if (weight < -1e-15L) return;
      sum += weight;
    }
    least = std::min(least, static_cast<double>(sum));
  });
  return least;
}

}  // namespace rivulet::geometry
