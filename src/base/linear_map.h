// A matrix that is known by its columns: perhaps stored, perhaps computed when asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace rivulet {

// Immutable: every member may be called from several threads at once, and a result depends on the arguments alone, to
// the last bit and on every machine (sums are taken in a fixed order).
class LinearMap {
 public:
  virtual ~LinearMap() = default;

  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual std::size_t columns() const = 0;

  // out += factor * column; out has rows() entries.
  virtual void add_column(std::size_t column, double factor, std::span<double> out) const = 0;
  // <column, v>; v has rows() entries.
  [[nodiscard]] virtual double column_dot(std::size_t column, std::span<const double> v) const = 0;

  // out = A x. A zero of x costs a comparison.
  virtual void apply(std::span<const double> x, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t column = 0; column < x.size(); ++column) {
      if (x[column] != 0.0) add_column(column, x[column], out);
    }
  }
  // out = A^T v.
  virtual void apply_transpose(std::span<const double> v, std::span<double> out) const {
    for (std::size_t column = 0; column < out.size(); ++column) out[column] = column_dot(column, v);
  }

 protected:
  LinearMap() = default;
  LinearMap(const LinearMap&) = default;
  LinearMap& operator=(const LinearMap&) = default;
};

}  // namespace rivulet
