#include "input/row_source.h"

#include <algorithm>
#include <limits>

#include "base/number_text.h"

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

// One line for a format: its entry is defined in the file of its reader.
FormatEntry csv_format();
FormatEntry libsvm_format();
FormatEntry ndjson_format();

const std::vector<FormatEntry>& row_formats() {
  static const std::vector<FormatEntry> all{csv_format(), libsvm_format(), ndjson_format()};
  return all;
}

RowFormat::RowFormat() : entry_(&row_formats().front()) {}

RowFormat parse_row_format(std::string_view word, std::string_view field) {
  for (const FormatEntry& entry : row_formats()) {
    if (word == entry.name) return RowFormat(entry);
  }
  throw RequestError(std::string(field), shown(word) + " is not accepted; accepted: " + format_names());
}

RowFormat format_by_name(std::string_view path) {
  constexpr std::string_view kGzip = ".gz";
  if (path.ends_with(kGzip)) path.remove_suffix(kGzip.size());
  for (const FormatEntry& entry : row_formats()) {
    for (const std::string_view ending : entry.endings) {
      if (path.ends_with(ending)) return RowFormat(entry);
    }
  }
  return {};
}

std::optional<RowFormat> format_stored_as(std::uint64_t number) {
  for (const FormatEntry& entry : row_formats()) {
    if (number == entry.stored_as) return RowFormat(entry);
  }
  return std::nullopt;
}

std::string format_names(std::string_view separator, std::string_view quote) {
  std::string names;
  for (const FormatEntry& entry : row_formats()) {
    if (!names.empty()) names += separator;
    names.append(quote).append(entry.name).append(quote);
  }
  return names;
}

std::string format_help() {
  std::string words;
  std::string files;
  for (const FormatEntry& entry : row_formats()) {
    words += (words.empty() ? "'" : ", '") + std::string(entry.name) + "'";
    if (!entry.summary.empty()) words += " (" + std::string(entry.summary) + ")";
    if (entry.endings.empty()) continue;
    files += std::string(entry.name) + " for files called ";
    for (const std::string_view ending : entry.endings) files.append(ending).append(" ");
    files.back() = ',';
    files += ' ';
  }
  return words + ". Unless given: " + files + "with or without .gz, else " + std::string(RowFormat()->name);
}

std::unique_ptr<RowSource> open_rows(ByteSource& source, const Schema& schema, const RowSettings& settings) {
  const FormatEntry& format = *settings.format.operator->();
  if (settings.unit_column && !format.only_unit.empty() && *settings.unit_column != format.only_unit) {
    throw RequestError("unit", shown(*settings.unit_column) + " is not in " + std::string(format.title) +
                                   " rows; accepted: " + std::string(format.only_unit));
  }
  return format.open(source, schema, settings);
}

}  // namespace rivulet::input
