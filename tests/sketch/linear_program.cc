#include "sketch/linear_program.h"

#include <ClpSimplex.hpp>
#include <limits>

namespace rivulet::sketch {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

std::vector<double> column_of(const LinearMap& map, std::size_t column) {
  std::vector<double> entries(map.rows(), 0.0);
  map.add_column(column, 1.0, entries);
  return entries;
}

}  // namespace

double linear_program(const DenseMap& matrix, std::span<const double> cost, std::span<const double> right_side,
                      std::span<const double> low, std::span<const double> high) {
  const auto rows = static_cast<int>(matrix.rows());
  const auto columns = static_cast<int>(matrix.columns());
  std::vector<CoinBigIndex> starts;
  std::vector<int> indices;
  std::vector<double> elements;
  for (int j = 0; j < columns; ++j) {
    starts.push_back(static_cast<CoinBigIndex>(indices.size()));
    for (int i = 0; i < rows; ++i) {
      const double entry = matrix.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      if (entry == 0.0) continue;
      indices.push_back(i);
      elements.push_back(entry);
    }
  }
  starts.push_back(static_cast<CoinBigIndex>(indices.size()));
  ClpSimplex program;
  program.setLogLevel(0);
  program.loadProblem(columns, rows, starts.data(), indices.data(), elements.data(), low.data(), high.data(),
                      cost.data(), right_side.data(), right_side.data());
  program.setPrimalTolerance(1e-10);
  program.setDualTolerance(1e-10);
  program.primal();
  return program.isProvenOptimal() ? program.objectiveValue() : std::numeric_limits<double>::quiet_NaN();
}

double least_l1_gauge(const LinearMap& map, std::span<const double> image, double radius) {
  const std::size_t m = map.rows();
  const std::size_t d = map.columns();
  DenseMap both(m, 2 * d);
  for (std::size_t j = 0; j < d; ++j) {
    const std::vector<double> column = column_of(map, j);
    for (std::size_t i = 0; i < m; ++i) {
      both.at(i, j) = column[i];
      both.at(i, d + j) = -column[i];
    }
  }
  return linear_program(both, std::vector<double>(2 * d, 1.0 / radius), image, std::vector<double>(2 * d, 0.0),
                        std::vector<double>(2 * d, kUnbounded));
}

double least_hull_gauge(const LinearMap& map, std::span<const double> image, std::span<const double> vertices) {
  const std::size_t d = map.columns();
  const std::size_t count = vertices.size() / d;
  DenseMap images(map.rows(), count);
  std::vector<double> point(map.rows());
  for (std::size_t j = 0; j < count; ++j) {
    map.apply(vertices.subspan(j * d, d), point);
    for (std::size_t i = 0; i < map.rows(); ++i) images.at(i, j) = point[i];
  }
  return linear_program(images, std::vector<double>(count, 1.0), image, std::vector<double>(count, 0.0),
                        std::vector<double>(count, kUnbounded));
}

// Columns theta, t, and slacks: high t - theta_i = a_i >= 0, theta_i - low t = b_i >= 0.
double least_box_gauge(const LinearMap& map, std::span<const double> image, double low, double high) {
  const std::size_t m = map.rows();
  const std::size_t d = map.columns();
  DenseMap matrix(m + 2 * d, 3 * d + 1);
  for (std::size_t j = 0; j < d; ++j) {
    const std::vector<double> column = column_of(map, j);
    for (std::size_t i = 0; i < m; ++i) matrix.at(i, j) = column[i];
    matrix.at(m + j, j) = 1.0;
    matrix.at(m + j, d) = -high;
    matrix.at(m + j, d + 1 + j) = 1.0;
    matrix.at(m + d + j, j) = 1.0;
    matrix.at(m + d + j, d) = -low;
    matrix.at(m + d + j, 2 * d + 1 + j) = -1.0;
  }
  std::vector<double> right_side(m + 2 * d, 0.0);
  std::copy(image.begin(), image.end(), right_side.begin());
  std::vector<double> cost(3 * d + 1, 0.0);
  cost[d] = 1.0;
  std::vector<double> least(3 * d + 1, 0.0);
  std::fill(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(d), -kUnbounded);
  return linear_program(matrix, cost, right_side, least, std::vector<double>(3 * d + 1, kUnbounded));
}

}  // namespace rivulet::sketch
