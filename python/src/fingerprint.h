// Whether two sets of rows have rows in common, told from a few keyed hashes of each: for the warnings that a budget is
// being spent a second time. The key is drawn anew in every process and never leaves it, the hashes are never
// published.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rows.h"

namespace rivulet::python {

// The smallest hashes of the rows, at most kMost of them, ascending and without repetition: the same row has the same
// hash wherever it stands, so two such samples share hashes when their sets share rows. Exact up to kMost rows.
class Fingerprint {
 public:
  static constexpr std::size_t kMost = 1024;

  void add(Rows& rows);
  void add(std::span<const double> values, double target);
  void add(const SparseRow& row, double target);
  // Takes the other's rows, too.
  void merge(const Fingerprint& other);
  // Estimated share of this set's distinct rows that are in the other one, too.
  [[nodiscard]] double share_in(const Fingerprint& other);
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  void insert(std::uint64_t hash);
  void shrink();

  std::vector<std::uint64_t> hashes_;  // unordered between shrinks
  std::uint64_t limit_ = UINT64_MAX;   // hashes above it are of no interest
  bool full_ = false;
  bool sorted_ = true;
  std::uint64_t rows_ = 0;
};

void bind_fingerprint(nanobind::module_& module);

}  // namespace rivulet::python
