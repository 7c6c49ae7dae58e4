#include "stream/row_source.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "rivulet/error.h"
#include "stream/number_text.h"

namespace rivulet::stream {
namespace {

// The names of a header, for a message. A first line that names none of the declared columns, or holds a number or an
// empty name, may well be a row of a file without a header, and a row is never shown.
std::string listed(const std::vector<std::string>& header, const Schema& schema) {
  const auto is_declared = [&](const std::string& name) {
    return name == schema.target_name() || std::any_of(schema.features().begin(), schema.features().end(),
                                                       [&](const Feature& feature) { return feature.name == name; });
  };
  const auto is_no_name = [](const std::string& name) { return name.empty() || parse_finite(name).has_value(); };
  if (std::none_of(header.begin(), header.end(), is_declared) ||
      std::any_of(header.begin(), header.end(), is_no_name)) {
    return "the first line does not look like the header of these columns, so it is not shown; accepted: a header line "
           "with the name of every column";
  }
  constexpr std::size_t kMost = 50;
  std::string names;
  for (std::size_t i = 0; i < std::min(header.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + shown(header[i]);
  }
  if (header.size() > kMost) names += " and " + std::to_string(header.size() - kMost) + " more";
  return "the header has " + names;
}

std::size_t find_column(const std::string& name, const std::vector<std::string>& header, const Schema& schema,
                        const std::string& source_name) {
  const auto first = std::find(header.begin(), header.end(), name);
  if (first == header.end()) {
    throw RequestError("column " + name, "not found in " + source_name + "; " + listed(header, schema));
  }
  if (std::find(first + 1, header.end(), name) != header.end()) {
    throw RequestError("column " + name, "stands more than once in the header of " + source_name +
                                             "; accepted: a header that names it once");
  }
  return static_cast<std::size_t>(first - header.begin());
}

void check_unit_column(const std::string& name, const Schema& schema) {
  if (name.empty()) throw RequestError("unit", "\"\" is not a name; accepted: the name of a column");
  const bool is_feature = std::any_of(schema.features().begin(), schema.features().end(),
                                      [&](const Feature& feature) { return feature.name == name; });
  if (is_feature || name == schema.target_name()) {
    throw RequestError("unit", shown(name) + " is " + (is_feature ? "a feature" : "the target") +
                                   "; accepted: a column that is neither a feature nor the target");
  }
}

}  // namespace

OperatorTally& OperatorTally::operator+=(const OperatorTally& other) {
  rows += other.rows;
  ragged += other.ragged;
  malformed += other.malformed;
  missing += other.missing;
  not_a_number += other.not_a_number;
  unknown_level += other.unknown_level;
  missing_unit += other.missing_unit;
  return *this;
}

CsvRowSource::CsvRowSource(ByteSource& source, const Schema& schema, CsvOptions options)
    : CsvRowSource(source, schema, CsvRowOptions{.csv = options}) {}

CsvRowSource::CsvRowSource(ByteSource& source, const Schema& schema, const CsvRowOptions& options)
    : source_(source),
      prefix_(options.track_position ? std::make_unique<ConsumedPrefix>() : nullptr),
      reader_(source, options.csv, prefix_.get()),
      row_width_(schema.row_width()) {
  schema.validate();
  if (options.unit_column) check_unit_column(*options.unit_column, schema);
  Record record;
  if (!reader_.next(record)) {
    throw IoError(source_.name() + (source.stopped() ? ": stopped before the header line was complete"
                                                     : ": is empty; accepted: CSV with a header line"));
  }
  if (record.status != RecordStatus::ok) {
    throw IoError(source_.name() + ": the header on line " + std::to_string(record.line) +
                  " is not valid CSV: a quote is not closed or followed by text, or it is longer than " +
                  std::to_string(options.csv.record_limit) + " bytes");
  }
  std::vector<std::string> header;
  for (const std::string_view name : record.fields) header.emplace_back(trimmed(name));
  // With one column a missing value is an empty line, which is no record: the number of rows would depend on a row's
  // content.
  if (header.size() == 1) {
    throw RequestError("column " + header.front(), "is the only column of " + source_.name() +
                                                       ", where a missing value cannot be told from an empty line; "
                                                       "accepted: CSV with two or more columns");
  }
  bind(schema, options, header);
  mark_consumed();
}

void CsvRowSource::bind(const Schema& schema, const CsvRowOptions& options, const std::vector<std::string>& header) {
  std::size_t value = 0;
  for (const Feature& feature : schema.features()) {
    const std::size_t field = find_column(feature.name, header, schema, source_.name());
    if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      CategoricalColumn column{field, value, schema.has_intercept() ? std::size_t{1} : std::size_t{0}, {}};
      for (std::size_t i = 0; i < levels->names.size(); ++i) column.levels.emplace(levels->names[i], i);
      value += levels->names.size() - column.reference_levels;
      categorical_.push_back(std::move(column));
    } else {
      numeric_.push_back({field, value++});
    }
  }
  if (options.needs_target) target_field_ = find_column(schema.target_name(), header, schema, source_.name());
  if (options.unit_column) unit_field_ = find_column(*options.unit_column, header, schema, source_.name());
}

bool CsvRowSource::next(Row& row) {
  if (resuming_) throw std::logic_error("CsvRowSource::next() before resume() succeeded");
  Record record;
  if (!reader_.next(record)) return false;
  mark_consumed();
  ++tally_.rows;
  row.values.resize(row_width_);
  row.unit.clear();
  row.usable = false;

  if (record.status == RecordStatus::ok) {
    const Fault fault = read_fields(record, row);
    count(fault);
    row.usable = fault == Fault::none;
  } else {
    ++(record.status == RecordStatus::ragged ? tally_.ragged : tally_.malformed);
  }
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (!row.usable) std::fill(row.values.begin(), row.values.end(), kNothing);
  if (!row.usable || !target_field_) row.target = kNothing;
  return true;
}

CsvRowSource::Fault CsvRowSource::read_fields(const Record& record, Row& row) {
  if (unit_field_) {
    const std::string_view unit = trimmed(record.fields[*unit_field_]);
    if (means_missing(unit)) return Fault::missing_unit;
    row.unit = unit;
  }
  for (const NumericColumn& column : numeric_) {
    const Fault fault = read_number(record.fields[column.field], row.values[column.value]);
    if (fault != Fault::none) return fault;
  }
  for (const CategoricalColumn& column : categorical_) {
    const Fault fault = read_level(record.fields[column.field], column, row.values);
    if (fault != Fault::none) return fault;
  }
  return target_field_ ? read_number(record.fields[*target_field_], row.target) : Fault::none;
}

CsvRowSource::Fault CsvRowSource::read_number(std::string_view cell, double& number) {
  const std::string_view text = trimmed(cell);
  if (const auto parsed = parse_finite(text)) {
    number = *parsed;
    return Fault::none;
  }
  return means_missing(text) ? Fault::missing : Fault::not_a_number;
}

CsvRowSource::Fault CsvRowSource::read_level(std::string_view cell, const CategoricalColumn& column,
                                             std::vector<double>& values) {
  auto found = column.levels.find(cell);
  if (found == column.levels.end()) found = column.levels.find(trimmed(cell));
  // Declared levels come first: NA is a country code as well as a missing value.
  if (found == column.levels.end()) return means_missing(trimmed(cell)) ? Fault::missing : Fault::unknown_level;

  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(column.first_value);
  const std::size_t width = column.levels.size() - column.reference_levels;
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(width), 0.0);
  if (found->second >= column.reference_levels) {
    values[column.first_value + found->second - column.reference_levels] = 1.0;
  }
  return Fault::none;
}

void CsvRowSource::count(Fault fault) {
  switch (fault) {
    case Fault::none:
      break;
    case Fault::missing:
      ++tally_.missing;
      break;
    case Fault::not_a_number:
      ++tally_.not_a_number;
      break;
    case Fault::unknown_level:
      ++tally_.unknown_level;
      break;
    case Fault::missing_unit:
      ++tally_.missing_unit;
      break;
  }
}

}  // namespace rivulet::stream
