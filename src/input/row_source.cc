#include "input/row_source.h"

#include <algorithm>
#include <limits>

#include "base/shown.h"
#include "input/csv.h"
#include "input/libsvm.h"

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

bool RowSource::next(Row& row) {
  row.unit.clear();
  const std::optional<RowFault> fault = read(row);
  if (!fault) return false;
  tally_.count(*fault);
  row.usable = *fault == RowFault::none;
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

std::string_view to_string(RowFormat format) {
  return format == RowFormat::csv ? "csv" : "libsvm";
}

RowFormat parse_row_format(std::string_view word, std::string_view field) {
  for (const RowFormat format : {RowFormat::csv, RowFormat::libsvm}) {
    if (word == to_string(format)) return format;
  }
  throw RequestError(std::string(field), shown(word) + " is not accepted; accepted: csv, libsvm");
}

RowFormat format_by_name(std::string_view path) {
  constexpr std::string_view kGzip = ".gz";
  if (path.ends_with(kGzip)) path.remove_suffix(kGzip.size());
  for (const std::string_view ending : {".svm", ".libsvm", ".svmlight"}) {
    if (path.ends_with(ending)) return RowFormat::libsvm;
  }
  return RowFormat::csv;
}

std::unique_ptr<RowSource> open_rows(ByteSource& source, const Schema& schema, const RowSettings& settings) {
  if (settings.format == RowFormat::libsvm) return std::make_unique<LibsvmRowSource>(source, schema, settings);
  return std::make_unique<CsvRowSource>(source, schema, settings);
}

}  // namespace rivulet::input
