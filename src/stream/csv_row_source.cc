#include "stream/csv_row_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rivulet/error.h"
#include "stream/number_text.h"

namespace rivulet::stream {
namespace {

// With one column a missing value is an empty line, which is no record: the number of rows would depend on a row's
// content.
[[noreturn]] void refuse_only_column(const std::string& name, const Schema& schema, const std::string& source_name) {
  if (!is_declared(name, schema)) {
    // Perhaps no name at all but a row.
    throw RequestError("header", "the first line of " + source_name +
                                     " is one field, which names none of the declared columns and is not shown; "
                                     "accepted: CSV with a header line of two or more columns, --delimiter where they "
                                     "are not separated by commas, or, for libsvm rows, --format libsvm");
  }
  throw RequestError("column " + name, "is the only column of " + source_name +
                                           ", where a missing value cannot be told from an empty line; accepted: CSV "
                                           "with two or more columns");
}

}  // namespace

CsvRowSource::CsvRowSource(ByteSource& source, const Schema& schema, CsvOptions options)
    : CsvRowSource(source, schema, CsvRowOptions{.csv = options}) {}

CsvRowSource::CsvRowSource(ByteSource& source, const Schema& schema, const CsvRowOptions& options)
    : RowSource(source, options.track_position),
      reader_(source, options.csv, prefix()),
      row_width_(schema.row_width()),
      target_(schema) {
  schema.validate();
  if (options.unit_column) check_unit_column(*options.unit_column, schema);
  if (!reader_.next(record_)) {
    throw IoError(source_name() + (source.stopped() ? ": stopped before the header line was complete"
                                                    : ": is empty; accepted: CSV with a header line"));
  }
  if (record_.status != RecordStatus::ok) {
    throw IoError(source_name() + ": the header on line " + std::to_string(record_.line) +
                  " is not valid CSV: a quote is not closed or followed by text, or it is longer than " +
                  std::to_string(options.csv.record_limit) + " bytes");
  }
  std::vector<std::string> names;
  for (const std::string_view name : record_.fields) names.emplace_back(trimmed(name));
  if (names.size() == 1) refuse_only_column(names.front(), schema, source_name());
  bind(schema, options, CsvHeader(std::move(names), schema, source_name()));
  mark_consumed();
}

void CsvRowSource::bind(const Schema& schema, const CsvRowOptions& options, const CsvHeader& header) {
  std::size_t value = 0;
  for (const Feature& feature : schema.features()) {
    if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      CategoricalColumn column{
          header.field_of(feature.name), value, schema.has_intercept() ? std::size_t{1} : std::size_t{0}, {}};
      for (std::size_t i = 0; i < levels->names.size(); ++i) column.levels.emplace(levels->names[i], i);
      value += levels->names.size() - column.reference_levels;
      categorical_.push_back(std::move(column));
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      for (std::size_t i = 1; i <= block->columns; ++i) {
        numeric_.push_back({header.field_of(feature.name + std::to_string(i)), value++});
      }
    } else {
      numeric_.push_back({header.field_of(feature.name), value++});
    }
  }
  if (options.needs_target) target_field_ = header.field_of(schema.target_name());
  if (options.unit_column) unit_field_ = header.field_of(*options.unit_column);
}

RowFault CsvRowSource::parse_record(Row& row) {
  row.sparse = false;
  row.positions.clear();
  row.values.resize(row_width_);
  row.target = std::numeric_limits<double>::quiet_NaN();
  if (record_.status == RecordStatus::ragged) return RowFault::ragged;
  if (record_.status == RecordStatus::malformed) return RowFault::malformed;
  if (unit_field_) {
    const std::string_view unit = trimmed(record_.fields[*unit_field_]);
    if (means_missing(unit)) return RowFault::missing_unit;
    row.unit = unit;
  }
  for (const NumericColumn& column : numeric_) {
    const RowFault fault = read_number(record_.fields[column.field], row.values[column.value]);
    if (fault != RowFault::none) return fault;
  }
  for (const CategoricalColumn& column : categorical_) {
    const RowFault fault = read_level(record_.fields[column.field], column, row.values);
    if (fault != RowFault::none) return fault;
  }
  return target_field_ ? target_.read(record_.fields[*target_field_], row.target) : RowFault::none;
}

RowFault CsvRowSource::read_level(std::string_view cell, const CategoricalColumn& column, std::vector<double>& values) {
  auto found = column.levels.find(cell);
  if (found == column.levels.end()) found = column.levels.find(trimmed(cell));
  // Declared levels come first: NA is a country code as well as a missing value.
  if (found == column.levels.end()) return means_missing(trimmed(cell)) ? RowFault::missing : RowFault::unknown_level;

  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(column.first_value);
  const std::size_t width = column.levels.size() - column.reference_levels;
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(width), 0.0);
  if (found->second >= column.reference_levels) {
    values[column.first_value + found->second - column.reference_levels] = 1.0;
  }
  return RowFault::none;
}

}  // namespace rivulet::stream
