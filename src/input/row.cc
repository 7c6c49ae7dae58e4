#include "input/row.h"

namespace rivulet::input {

RowFault row_fault(CellFault fault) {
  switch (fault) {
    case CellFault::missing:
      return RowFault::missing;
    case CellFault::not_a_number:
      return RowFault::not_a_number;
    case CellFault::unknown_level:
      return RowFault::unknown_level;
    case CellFault::none:
      break;
  }
  return RowFault::none;
}

void OperatorTally::count(RowFault fault) {
  ++rows;
  switch (fault) {
    case RowFault::none:
      break;
    case RowFault::ragged:
      ++ragged;
      break;
    case RowFault::malformed:
      ++malformed;
      break;
    case RowFault::missing:
      ++missing;
      break;
    case RowFault::not_a_number:
      ++not_a_number;
      break;
    case RowFault::unknown_level:
      ++unknown_level;
      break;
    case RowFault::missing_unit:
      ++missing_unit;
      break;
    case RowFault::bad_index:
      ++bad_index;
      break;
  }
}

OperatorTally& OperatorTally::operator+=(const OperatorTally& other) {
  rows += other.rows;
  ragged += other.ragged;
  malformed += other.malformed;
  missing += other.missing;
  not_a_number += other.not_a_number;
  unknown_level += other.unknown_level;
  missing_unit += other.missing_unit;
  bad_index += other.bad_index;
  return *this;
}

}  // namespace rivulet::input
