// A few columns of Phi and the quadratic they see: Phi_S^T Q Phi_S, grown column by column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "solve/quadratic.h"

namespace rivulet::solve {

class ImageColumns {
 public:
  // The map stays the caller's.
  explicit ImageColumns(const LinearMap& map) : map_(&map) {}

  // Forgets all columns; `quadratic`, in the image's dimensions, must outlive their use.
  void reset(const Quadratic& quadratic);
  // Those of them it does not hold yet; returns how many that are.
  std::size_t add(std::span<const std::size_t> coordinates);

  // Ascending.
  [[nodiscard]] std::span<const std::size_t> coordinates() const { return sorted_; }
  // theta_S^T (Phi_S^T Q Phi_S) theta_S - 2 (Phi_S^T q)^T theta_S, coordinates ascending; valid until the next call.
  Quadratic restricted();
  // v_S of a point given by its non-zero coordinates (ascending, all held) and their values.
  void gather(std::span<const std::size_t> support, std::span<const double> values, std::span<double> part) const;
  // v_S of a point of all coordinates, and back, zero elsewhere.
  void gather(std::span<const double> theta, std::span<double> part) const;
  void scatter(std::span<const double> part, std::span<double> theta) const;

 private:
  struct Column {
    std::size_t coordinate = 0;
    std::vector<double> entries;    // dense, or the non-zero ones
    std::vector<std::size_t> rows;  // of the non-zero entries; empty: dense
    std::vector<double> product;    // Q column
    std::vector<double> gram;       // <column, product of those held before and itself>
    double cross = 0.0;             // <column, q>

    [[nodiscard]] double dot_with(std::span<const double> v) const;
  };

  const LinearMap* map_;
  Quadratic quadratic_;
  std::vector<Column> columns_;        // in order of arrival
  std::vector<std::size_t> sorted_;    // coordinates, ascending
  std::vector<std::size_t> position_;  // sorted_[k] is columns_[position_[k]]
  std::vector<double> gram_;
  std::vector<double> cross_;
};

}  // namespace rivulet::solve
