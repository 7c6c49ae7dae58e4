#include "input/csv_row_source.h"

#include <limits>
#include <utility>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet::input {
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
    : RowSource(source, options.track_position), reader_(source, options.csv, prefix()) {
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
  // A block far wider than the header is refused here, before there is a place for each of its columns.
  for (const Feature& feature : schema.features()) {
    const auto* block = std::get_if<Block>(&feature.domain);
    for (std::size_t i = 1; block != nullptr && i <= block->columns; ++i) {
      static_cast<void>(header.field_of(feature.name + std::to_string(i)));
    }
  }
  const auto& columns = layout_.emplace(schema).columns();
  // Numbers first: they are read fastest, and a row's first fault is what the operator is told.
  for (const bool categorical : {false, true}) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].categorical == categorical) fields_.push_back({header.field_of(columns[i].name), i});
    }
  }
  if (options.needs_target) target_field_ = header.field_of(schema.target_name());
  if (options.unit_column) unit_field_ = header.field_of(*options.unit_column);
}

RowFault CsvRowSource::parse_record(Row& row) {
  row.sparse = false;
  row.positions.clear();
  row.values.assign(layout_->width(), std::numeric_limits<double>::quiet_NaN());
  row.target = std::numeric_limits<double>::quiet_NaN();
  if (record_.status == RecordStatus::ragged) return RowFault::ragged;
  if (record_.status == RecordStatus::malformed) return RowFault::malformed;
  if (unit_field_) {
    row.unit = unit_in(record_.fields[*unit_field_]);
    if (row.unit.empty()) return RowFault::missing_unit;
  }
  for (const Field& field : fields_) {
    const CellFault fault = layout_->columns()[field.column].read(record_.fields[field.field], row.values.data());
    if (fault != CellFault::none) return row_fault(fault);
  }
  return target_field_ ? row_fault(layout_->read_target(record_.fields[*target_field_], row.target)) : RowFault::none;
}

}  // namespace rivulet::input
