// For the operator's eyes only: exact counts of rows that did not fare well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/source_state.h"
#include "input/row_source.h"
#include "rivulet/durable_regression.h"

namespace rivulet::cli {

struct OperatorCounts {
  input::OperatorTally tally;
  std::uint64_t over_limit = 0;      // rows of units that had their share
  std::uint64_t outside_domain = 0;  // rows that do not meet the conditions
  std::uint64_t distorted = 0;       // used all the same: rows whose length the sketch did not keep

  [[nodiscard]] std::uint64_t unusable() const { return tally.unusable() + over_limit + outside_domain; }
};

OperatorCounts counts_in(const SourceState& state);

// "1 row", "12 rows".
std::string counted(std::uint64_t rows);
// Which doors that many rows came through: those that left a name, and the rest.
std::string doors_text(const std::vector<Door>& doors, std::uint64_t rows);

// One line for each thing there is to say, which says that it is not to be published; nothing when there is nothing.
// `sketched`: a row may also be lost because the sketch maps it to 0.
std::string operator_note(const OperatorCounts& counts, bool sketched);

}  // namespace rivulet::cli
