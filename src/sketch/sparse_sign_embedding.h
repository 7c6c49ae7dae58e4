// A sparse sign embedding: s entries of +-1/sqrt(s) in every column (Kane and Nelson, "Sparser Johnson-Lindenstrauss
// transforms", 2014, their block construction; Bourgain, Dirksen and Nelson, 2015, for sets of small width).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"

namespace rivulet::sketch {

// The rows are split into s blocks whose sizes differ by at most one; a column has one entry in each, in a row that is
// equally likely up to 2^-31 and with a sign that is exactly fair. Its rows are therefore distinct, its norm is 1 up to
// rounding, and E Phi^T Phi = I. A dot product adds the signed terms block after block and scales their sum. The first
// columns are kept as far as the memory goes, 4 s bytes each; one that is not kept is made anew and is the same.
class SparseSignEmbedding final : public LinearMap {
 public:
  static constexpr unsigned kLargestWeight = 64;
  static constexpr std::size_t kMostRows = std::size_t{1} << 31;  // a row and a sign share 32 bits

  SparseSignEmbedding(std::size_t rows, std::size_t columns, unsigned column_weight, std::uint64_t seed,
                      std::size_t column_memory);

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override;
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override;
  void apply_transpose(std::span<const double> v, std::span<double> out) const override;

 private:
  using Entry = std::uint32_t;  // 2 row + (1 if negative)

  // Writes the column's `weight_` entries, one a block.
  void make_column(std::size_t column, Entry* out) const;
  // The column's entries: the kept ones, or made anew in `scratch`.
  [[nodiscard]] const Entry* entries(std::size_t column, std::span<Entry, kLargestWeight> scratch) const;

  std::size_t rows_;
  std::size_t columns_;
  std::size_t weight_;  // s
  std::uint64_t seed_;
  double scale_;                           // 1 / sqrt(s)
  std::vector<std::uint32_t> first_rows_;  // of the blocks, and m at the end
  std::size_t kept_columns_;
  std::unique_ptr<Entry[]> kept_;  // kept_columns_ x weight_
};

}  // namespace rivulet::sketch
