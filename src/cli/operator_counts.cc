#include "cli/operator_counts.h"

#include <fmt/format.h>

namespace rivulet::cli {
namespace {

std::string unusable_note(const OperatorCounts& counts, bool sketched) {
  std::string reasons;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, what);
  };
  add(counts.tally.missing, "with a missing value");
  add(counts.tally.not_a_number, "with something that is not a number");
  add(counts.tally.unknown_level, "with an undeclared category or class");
  add(counts.tally.bad_index, "with an index that is 0, above the dimension or out of order");
  add(counts.tally.missing_unit, "without a unit");
  add(counts.tally.ragged, "with too few or too many fields");
  add(counts.tally.malformed, "not readable");
  add(counts.outside_domain,
      sketched ? "outside the conditions, or mapped to 0 by the sketch" : "outside the conditions");
  add(counts.over_limit, "past their unit's limit");
  return fmt::format("operator only, do not publish: {} of {} rows could not be used and counted as zero rows ({})\n",
                     counts.unusable(), counts.tally.rows, reasons);
}

std::string distorted_note(const OperatorCounts& counts) {
  return fmt::format(
      "operator only, do not publish: {} of {} rows came out of the sketch at less than half or more than twice their "
      "length; they were used at their own length, but more than a few of them mean a sketch too small for such rows, "
      "or "
      "rows made by somebody who knows its seed: accuracy suffers, privacy does not\n",
      counts.distorted, counts.tally.rows);
}

}  // namespace

OperatorCounts counts_in(const SourceState& state) {
  return {state.tally, state.over_limit, state.outside_domain, state.distorted};
}

std::string counted(std::uint64_t rows) {
  return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

std::string doors_text(const std::vector<Door>& doors, std::uint64_t rows) {
  std::string text;
  std::uint64_t named = 0;
  for (const Door& door : doors) {
    text += fmt::format("{}{} through {}", text.empty() ? "" : ", ", counted(door.rows), door.name);
    named += door.rows;
  }
  if (named < rows) text += fmt::format("{}{} through a door unknown", text.empty() ? "" : ", ", counted(rows - named));
  return text;
}

std::string operator_note(const OperatorCounts& counts, bool sketched) {
  return (counts.unusable() == 0 ? "" : unusable_note(counts, sketched)) +
         (counts.distorted == 0 ? "" : distorted_note(counts));
}

}  // namespace rivulet::cli
