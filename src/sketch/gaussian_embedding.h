// The paper's Phi: independent N(0, 1/m) entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/linear_map.h"

namespace rivulet::sketch {

// Entries are single-precision numbers, sums double: entry i of a column joins partial sum i mod 8 of a dot product,
// and the partial sums are added in pairs. The first columns are kept as far as the memory goes, 4 m bytes each; one
// that is not kept is made anew piece by piece, at about 10 ns an entry, and is the same numbers.
class GaussianEmbedding final : public LinearMap {
 public:
  GaussianEmbedding(std::size_t rows, std::size_t columns, std::uint64_t seed, std::size_t column_memory);

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override;
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override;

 private:
  // Entries `first` to `first + out.size() - 1` of a column; `first` is a multiple of the piece length, which bounds
  // the number of them.
  void make_piece(std::size_t column, std::size_t first, std::span<float> out) const;
  // Calls use(first, entries) for the consecutive pieces of a column; `first` is a multiple of the piece length.
  template <typename Use>
  void for_each_piece(std::size_t column, Use use) const;

  std::size_t rows_;
  std::size_t columns_;
  std::uint64_t seed_;
  double scale_;  // 1 / sqrt(m)
  std::size_t kept_columns_;
  std::unique_ptr<float[]> kept_;  // kept_columns_ x rows_, a column's entries side by side
};

}  // namespace rivulet::sketch
