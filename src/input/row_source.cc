#include "input/row_source.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

// The kernel makes the zero row of it.
void make_unusable(Row& row) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (row.sparse) {
    row.positions.assign(1, 0);
    row.values.resize(1);
  }
  std::fill(row.values.begin(), row.values.end(), kNothing);
  row.target = kNothing;
}

}  // namespace

RowSource::RowSource(ByteSource& source, bool track_position)
    : source_(source), prefix_(track_position ? std::make_unique<ConsumedPrefix>() : nullptr) {}

bool RowSource::next(Row& row) {
  if (resuming_) throw std::logic_error("RowSource::next() before resume() succeeded");
  if (!read_record()) return false;
  mark_consumed();
  row.unit.clear();
  const RowFault fault = parse_record(row);
  tally_.count(fault);
  row.usable = fault == RowFault::none;
  if (!row.usable) make_unusable(row);
  return true;
}

void check_unit_column(const std::string& name, const Schema& schema) {
  if (name.empty()) throw RequestError("unit", "\"\" is not a name; accepted: the name of a column");
  const bool is_feature =
      schema.value_of(name).has_value() ||
      std::any_of(schema.features().begin(), schema.features().end(), [&](const Feature& f) { return f.name == name; });
  if (is_feature || name == schema.target_name()) {
    throw RequestError("unit", shown(name) + " is " + (is_feature ? "a feature" : "the target") +
                                   "; accepted: a column that is neither a feature nor the target");
  }
}

}  // namespace rivulet::input
