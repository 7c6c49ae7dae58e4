#include "audit/neighbour_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rivulet/error.h"

namespace rivulet::audit {
namespace {

constexpr double kTooLong = 1000.0;

double length(const std::vector<double>& x) {
  double squares = 0.0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

std::vector<double> scaled(std::vector<double> x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

// All entries of one size.
std::vector<double> level_direction(std::size_t dimension) {
  return std::vector<double>(dimension, 1.0 / std::sqrt(static_cast<double>(dimension)));
}

// Of length 1, orthogonal to the level one, no entry 0. At least two dimensions.
std::vector<double> sloping_direction(std::size_t dimension) {
  std::vector<double> x(dimension);
  double mean = 0.0;
  for (std::size_t i = 0; i < dimension; ++i) {
    x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.1 * static_cast<double>(i % 3));
    mean += x[i] / static_cast<double>(dimension);
  }
  for (double& value : x) value -= mean;
  return scaled(x, 1.0 / length(x));
}

// At this cosine to the level direction.
std::vector<double> inclined_direction(std::size_t dimension, double cosine) {
  std::vector<double> x = scaled(level_direction(dimension), cosine);
  const std::vector<double> across = sloping_direction(dimension);
  for (std::size_t i = 0; i < dimension; ++i) x[i] += std::sqrt(1.0 - cosine * cosine) * across[i];
  return x;
}

std::vector<double> axis(std::size_t dimension, std::size_t i) {
  std::vector<double> x(dimension, 0.0);
  x[i] = 1.0;
  return x;
}

AuditRow worst_other(std::size_t dimension, double target_scale) {
  if (dimension == 1) return {level_direction(1), -1.0};
  // <u, v> = cosine - s^2 = 0; without sum y^2 the pair (x x^T, x y) moves furthest at a cosine of 1/2.
  const double cosine = target_scale > 0.0 ? target_scale * target_scale : 0.5;
  return {cosine < 1.0 ? inclined_direction(dimension, cosine) : level_direction(dimension), -1.0};
}

}  // namespace

std::string_view to_string(PairKind kind) {
  switch (kind) {
    case PairKind::worst:
      return "worst";
    case PairKind::opposite_labels:
      return "opposite labels";
    case PairKind::orthogonal_rows:
      return "orthogonal";
    case PairKind::sparse:
      return "sparse";
    case PairKind::outside:
      return "out of bounds";
    case PairKind::missing:
      return "missing";
  }
  throw Error("audit: no such pair");
}

bool exists(PairKind kind, Neighbours neighbours, std::size_t dimension) {
  const bool two_rows = kind == PairKind::opposite_labels || kind == PairKind::orthogonal_rows;
  if (two_rows && neighbours == Neighbours::zero_out) return false;
  return kind != PairKind::orthogonal_rows || dimension >= 2;
}

NeighbourPair make_pair(PairKind kind, Neighbours neighbours, std::size_t dimension, double target_scale) {
  const bool replace = neighbours == Neighbours::replace;
  const AuditRow zero{std::vector<double>(dimension, 0.0), 0.0};
  const AuditRow level{level_direction(dimension), 1.0};
  const AuditRow other = replace ? worst_other(dimension, target_scale) : zero;
  switch (kind) {
    case PairKind::worst:
      return {other, level};
    case PairKind::opposite_labels:
      return {{level.x, -1.0}, level};
    case PairKind::orthogonal_rows:
      return {{sloping_direction(dimension), 1.0}, level};
    case PairKind::sparse:
      return {replace ? AuditRow{axis(dimension, dimension - 1), -1.0} : zero, {axis(dimension, 0), 1.0}};
    case PairKind::outside:
      return {{scaled(other.x, kTooLong), kTooLong * other.y}, {scaled(level.x, kTooLong), kTooLong * level.y}};
    case PairKind::missing: {
      AuditRow missing = level;
      missing.x.back() = std::numeric_limits<double>::quiet_NaN();
      return {missing, level};
    }
  }
  throw Error("audit: no such pair");
}

AuditRow bounded(const AuditRow& row) {
  const bool usable = std::isfinite(row.y) &&
                      std::all_of(row.x.begin(), row.x.end(), [](double value) { return std::isfinite(value); });
  if (!usable) return {std::vector<double>(row.x.size(), 0.0), 0.0};
  AuditRow result = row;
  for (double& value : result.x) value = std::clamp(value, -1.0, 1.0);
  result.y = std::clamp(result.y, -1.0, 1.0);
  if (const double norm = length(result.x); norm > 1.0) result.x = scaled(result.x, 1.0 / norm);
  return result;
}

std::vector<double> contribution(const AuditRow& row, const privacy::ReleaseLayout& layout, double target_scale) {
  const AuditRow inside = bounded(row);
  const std::size_t d = layout.dimension;
  std::vector<double> sums(layout.size(), 0.0);
  std::size_t next = layout.offdiagonal_begin();
  for (std::size_t column = 0; column < d; ++column) {
    sums[layout.diagonal_begin() + column] = inside.x[column] * inside.x[column];
    for (std::size_t i = 0; i < column; ++i) sums[next++] = inside.x[i] * inside.x[column];
    sums[layout.cross_begin() + column] = inside.x[column] * inside.y * target_scale;
  }
  if (layout.has_target_square) sums[layout.target_square()] = std::pow(inside.y * target_scale, 2);
  return sums;
}

}  // namespace rivulet::audit
