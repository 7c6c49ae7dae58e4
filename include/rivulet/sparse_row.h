// A row most of whose values are 0, given by the others.
#pragma once

#include <cstdint>
#include <span>

namespace rivulet {

// A view: the caller owns the memory. positions[i] says which of the Schema::row_width() supplied values values[i] is,
// counted from 0; the others are 0, in the user's units. The positions ascend strictly; a row where they do not, or one
// lies outside, cannot be used and counts as a zero row, like one with a NaN.
struct SparseRow {
  std::span<const std::uint32_t> positions;
  std::span<const double> values;  // as many
};

}  // namespace rivulet
