// One row as a source hands it out, and for the operator what was wrong with those that cannot be used.
//
// This is the row side of the wall: what is in here is sensitive and belongs to the kernel alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rivulet/row_layout.h"
#include "rivulet/sparse_row.h"

namespace rivulet::input {

// In the user's units; not clamped to the bounds. A row that cannot be used has every number set to a quiet NaN, a
// sparse one the number at position 0 and no other.
struct Row {
  std::vector<double> values;            // Schema::row_width() of them, or of a sparse row those at `positions`
  std::vector<std::uint32_t> positions;  // see SparseRow; of a sparse row alone
  double target = 0.0;                   // a quiet NaN, too, when no target was asked for
  std::string unit;  // whose row it is; empty when no unit column was asked for or the row does not say
  bool sparse = false;
  bool usable = false;

  // Of a sparse row; as long as the row lives and is not altered.
  [[nodiscard]] SparseRow sparse_view() const { return {positions, values}; }
};

// Why a row cannot be used.
enum class RowFault { none, ragged, malformed, missing, not_a_number, unknown_level, missing_unit, bad_index };
// Of a row with this cell.
RowFault row_fault(CellFault fault);

// For the operator's eyes only: these counts depend on the rows exactly and must never be published, stored with the
// releases or shown to whoever sees the models. A row with several faults counts once, under the first that is met.
struct OperatorTally {
  std::uint64_t rows = 0;           // all of them, usable or not
  std::uint64_t ragged = 0;         // another number of fields than the header
  std::uint64_t malformed = 0;      // not in the grammar of the format, or longer than the record limit
  std::uint64_t missing = 0;        // an empty cell, NA, NaN or null; no label
  std::uint64_t not_a_number = 0;   // text, infinity or beyond the largest double where a number is declared
  std::uint64_t unknown_level = 0;  // a category or class that was not declared
  std::uint64_t missing_unit = 0;   // an empty cell, NA, NaN or null in the unit column
  std::uint64_t bad_index = 0;      // of a libsvm row: 0, above the declared columns, or not above the one before

  [[nodiscard]] std::uint64_t unusable() const {
    return ragged + malformed + missing + not_a_number + unknown_level + missing_unit + bad_index;
  }
  // One row more.
  void count(RowFault fault);
  OperatorTally& operator+=(const OperatorTally& other);
  bool operator==(const OperatorTally&) const = default;
};

}  // namespace rivulet::input
