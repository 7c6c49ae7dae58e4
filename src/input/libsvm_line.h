// One row of a libsvm (svmlight) file:
//
//   label [qid:ID] index:value index:value ... [# comment]
//
// Spaces and tabs separate; '#' ends the row wherever it stands. Indices are plain digits, count from 1 and ascend
// strictly; values that are not given are 0.
#pragma once

#include <cstddef>
#include <string_view>

#include "input/row.h"

namespace rivulet::input {

struct LibsvmGrammar {
  std::size_t columns = 0;   // the largest index there may be
  bool needs_target = true;  // false: the label is there but may be anything
  bool needs_unit = false;   // true: qid says whose row it is; else it is passed over
};

// Fills the sparse row: position = index - 1. `line` is without its line end; `row.unit` is empty on entry. The first
// fault met, in this order: no unit, no label, a label that is no number, then from left to right a word that is no
// index:value (malformed), a bad index, a value that is missing or no number. Time: linear in the line.
RowFault parse_libsvm_line(std::string_view line, const LibsvmGrammar& grammar, Row& row);

}  // namespace rivulet::input
