#include "input/csv.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

constexpr char kQuote = '"';

}  // namespace

CsvReader::CsvReader(ByteSource& source, const RowSettings& settings)
    : RecordReader(source, settings), delimiter_(settings.delimiter) {
  if (delimiter_ == kQuote || is_line_end(delimiter_)) {
    throw RequestError("delimiter", "a quote or a line end cannot separate fields; accepted: any other character");
  }
  for (const char special : {delimiter_, '\n', '\r'}) {
    ends_plain_field_[static_cast<unsigned char>(special)] = true;
  }
}

bool CsvReader::next() {
  if (delivered_) forget_delivered();
  if (!skip_byte_order_mark()) return false;
  while (!scan()) {
    if (refill()) continue;
    if (!at_end_ || !end_input()) return false;
    break;
  }
  deliver();
  return true;
}

void CsvReader::forget_delivered() {
  fields_.clear();
  escaped_fields_.clear();
  malformed_ = overlong_ = delivered_ = false;
  record_begin_ = position_;
  record_line_ = line_;
}

// The offset of the field goes along with the pointers.
void CsvReader::move_parts(const char* from, char* to) {
  for (std::string_view& field : fields_) field = {to + (field.data() - from), field.size()};
  field_begin_ -= std::min(field_begin_, record_begin_);
}

void CsvReader::drop_parts() {
  malformed_ = true;
  fields_.clear();
  escaped_fields_.clear();
  field_begin_ = position_;
}

// Goes on from position_. True when a record is complete; false when the filled part of the buffer is used up.
bool CsvReader::scan() {
  // The sentinel ends the innermost loop without a test for the end of the buffer at every byte.
  buffer_[filled_] = '\n';
  const char* const bytes = buffer_.data();
  while (position_ < filled_) {
    switch (state_) {
      case State::field_start:
        if (bytes[position_] == kQuote) {
          field_begin_ = ++position_;
          field_escaped_ = false;
          state_ = State::quoted;
          break;
        }
        if (fields_.empty() && !overlong_ && is_line_end(bytes[position_])) {
          skip_empty_line(bytes[position_]);
          break;
        }
        field_begin_ = position_;
        field_escaped_ = false;
        state_ = State::plain;
        [[fallthrough]];

      case State::plain: {
        std::size_t at = position_;
        while (!ends_plain_field_[static_cast<unsigned char>(bytes[at])]) ++at;
        position_ = at;
        if (at == filled_) return false;
        end_field(at);
        if (bytes[at] != delimiter_) {
          end_record(at);
          return true;
        }
        ++position_;
        break;
      }

      case State::quoted: {
        const auto* quote = static_cast<const char*>(std::memchr(bytes + position_, kQuote, filled_ - position_));
        const std::size_t at = quote == nullptr ? filled_ : static_cast<std::size_t>(quote - bytes);
        line_ += static_cast<std::uint64_t>(std::count(bytes + position_, bytes + at, '\n'));
        position_ = at;
        if (quote == nullptr) return false;
        ++position_;
        state_ = State::quote_in_quoted;
        break;
      }

      case State::quote_in_quoted: {
        const char byte = bytes[position_];
        if (byte == kQuote) {
          field_escaped_ = true;
          ++position_;
          state_ = State::quoted;
        } else if (ends_plain_field_[static_cast<unsigned char>(byte)]) {
          end_field(position_ - 1);
          if (byte != delimiter_) {
            end_record(position_);
            return true;
          }
          ++position_;
        } else {
          malformed_ = true;
          state_ = State::plain;
        }
        break;
      }
    }
  }
  return false;
}

void CsvReader::skip_empty_line(char line_end) {
  // The LF of a CRLF arrives here after the CR has ended the line.
  if (!(line_end == '\n' && after_carriage_return_)) ++line_;
  after_carriage_return_ = line_end == '\r';
  record_begin_ = ++position_;
  record_line_ = line_;
}

void CsvReader::end_field(std::size_t end) {
  state_ = State::field_start;
  if (overlong_) return;
  if (field_escaped_) escaped_fields_.push_back(fields_.size());
  fields_.emplace_back(buffer_.data() + field_begin_, end - field_begin_);
}

// `end` is where the line end stands, which is consumed with the record.
void CsvReader::end_record(std::size_t end) {
  if (end - record_begin_ > limits_.record_limit) malformed_ = true;
  after_carriage_return_ = buffer_[end] == '\r';
  ++line_;
  position_ = end + 1;
}

// The last record when its line has no end. False when there is none.
bool CsvReader::end_input() {
  if (state_ == State::field_start && fields_.empty() && !overlong_) return false;
  if (position_ - record_begin_ > limits_.record_limit) malformed_ = true;
  if (state_ == State::quoted) malformed_ = true;
  if (state_ == State::field_start) {
    field_begin_ = position_;
    field_escaped_ = false;
  }
  end_field(state_ == State::quote_in_quoted ? position_ - 1 : position_);
  ended_with_input_ = true;
  return true;
}

void CsvReader::deliver() {
  delivered_ = true;
  record_end_ = offset();
  record_.line = record_line_;
  if (malformed_) {
    record_.fields = {};
    record_.status = RecordStatus::malformed;
    return;
  }
  if (!escaped_fields_.empty()) unescape_fields();
  if (width_ == 0) width_ = fields_.size();
  record_.fields = fields_;
  record_.status = fields_.size() == width_ ? RecordStatus::ok : RecordStatus::ragged;
}

void CsvReader::unescape_fields() {
  std::size_t room = 0;
  for (const std::size_t index : escaped_fields_) room += fields_[index].size();
  unescaped_.resize(room);
  char* out = unescaped_.data();
  for (const std::size_t index : escaped_fields_) {
    const char* const begin = out;
    const std::string_view escaped = fields_[index];
    for (std::size_t i = 0; i < escaped.size(); ++i) {
      *out++ = escaped[i];
      if (escaped[i] == kQuote) ++i;  // the second quote of a pair
    }
    fields_[index] = {begin, static_cast<std::size_t>(out - begin)};
  }
}

namespace {

// Whether the schema names the column, as a feature, of a block or as the target.
bool is_declared(const std::string& column, const Schema& schema) {
  return column == schema.target_name() || schema.value_of(column).has_value() ||
         std::any_of(schema.features().begin(), schema.features().end(),
                     [&](const Feature& feature) { return feature.name == column; });
}

// The header line: where the columns are that a schema names. Looking a column up takes constant time: a block may have
// thousands.
class CsvHeader {
 public:
  // The schema and `source_name`, which messages call the input by, must outlive this.
  CsvHeader(std::vector<std::string> names, const Schema& schema, const std::string& source_name);
  CsvHeader(const CsvHeader&) = delete;
  CsvHeader& operator=(const CsvHeader&) = delete;

  // Which field of a record the column is. Throws RequestError when it is not in the header or stands there twice.
  [[nodiscard]] std::size_t field_of(const std::string& column) const;

 private:
  struct Place {
    std::size_t field = 0;
    bool repeated = false;
  };
  // The names, for a message.
  [[nodiscard]] std::string listed() const;

  std::vector<std::string> names_;
  std::unordered_map<std::string_view, Place> places_;  // views of names_
  const Schema& schema_;
  const std::string& source_name_;
};

CsvHeader::CsvHeader(std::vector<std::string> names, const Schema& schema, const std::string& source_name)
    : names_(std::move(names)), schema_(schema), source_name_(source_name) {
  places_.reserve(names_.size());
  for (std::size_t field = 0; field < names_.size(); ++field) {
    const auto [place, is_new] = places_.try_emplace(names_[field], Place{field});
    if (!is_new) place->second.repeated = true;
  }
}

std::size_t CsvHeader::field_of(const std::string& column) const {
  const auto found = places_.find(column);
  if (found == places_.end()) {
    throw RequestError("column " + column, "not found in " + source_name_ + "; " + listed());
  }
  if (found->second.repeated) {
    throw RequestError("column " + column, "stands more than once in the header of " + source_name_ +
                                               "; accepted: a header that names it once");
  }
  return found->second.field;
}

// A first line that names none of the declared columns, or holds a number or an empty name, may well be a row of a file
// without a header, and a row is never shown.
std::string CsvHeader::listed() const {
  const auto is_known = [&](const std::string& name) { return is_declared(name, schema_); };
  const auto is_no_name = [](const std::string& name) { return name.empty() || parse_finite(name).has_value(); };
  if (std::none_of(names_.begin(), names_.end(), is_known) || std::any_of(names_.begin(), names_.end(), is_no_name)) {
    return "the first line does not look like the header of these columns, so it is not shown; accepted: a header line "
           "with the name of every column";
  }
  constexpr std::size_t kMost = 50;
  std::string names;
  for (std::size_t i = 0; i < std::min(names_.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + shown(names_[i]);
  }
  if (names_.size() > kMost) names += " and " + std::to_string(names_.size() - kMost) + " more";
  return "the header has " + names;
}

std::string other_formats() {
  std::string flags;
  for (const FormatEntry& entry : row_formats()) {
    if (entry.open == RowFormat()->open) continue;
    flags += (flags.empty() ? "--format " : " or --format ") + std::string(entry.name);
  }
  return flags;
}

// With one column a missing value is an empty line, which is no record: the number of rows would depend on a row's
// content.
[[noreturn]] void refuse_only_column(const std::string& name, const Schema& schema, const std::string& source_name) {
  if (!is_declared(name, schema)) {
    // Perhaps no name at all but a row.
    throw RequestError("header", "the first line of " + source_name +
                                     " is one field, which names none of the declared columns and is not shown; "
                                     "accepted: CSV with a header line of two or more columns, --delimiter where they "
                                     "are not separated by commas, or, for rows in another format, " +
                                     other_formats());
  }
  throw RequestError("column " + name, "is the only column of " + source_name +
                                           ", where a missing value cannot be told from an empty line; accepted: CSV "
                                           "with two or more columns");
}

}  // namespace

CsvRowSource::CsvRowSource(ByteSource& source, const Schema& schema, const RowSettings& settings)
    : RecordRows(source), reader_(source, settings) {
  schema.validate();
  if (settings.unit_column) check_unit_column(*settings.unit_column, schema);
  if (!reader_.next()) {
    throw IoError(source_name() + (source.stopped() ? ": stopped before the header line was complete"
                                                    : ": is empty; accepted: CSV with a header line"));
  }
  const Record& header = reader_.record();
  if (header.status != RecordStatus::ok) {
    throw IoError(source_name() + ": the header on line " + std::to_string(header.line) +
                  " is not valid CSV: a quote is not closed or followed by text, or it is longer than " +
                  std::to_string(settings.limits.record_limit) + " bytes");
  }
  std::vector<std::string> names;
  for (const std::string_view name : header.fields) names.emplace_back(trimmed(name));
  if (names.size() == 1) refuse_only_column(names.front(), schema, source_name());
  bind(schema, settings, std::move(names));
  mark_consumed();
}

void CsvRowSource::bind(const Schema& schema, const RowSettings& settings, std::vector<std::string> names) {
  const CsvHeader header(std::move(names), schema, source_name());
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
  if (settings.needs_target) target_field_ = header.field_of(schema.target_name());
  if (settings.unit_column) unit_field_ = header.field_of(*settings.unit_column);
}

RowFault CsvRowSource::parse_record(Row& row) {
  row.sparse = false;
  row.positions.clear();
  row.values.assign(layout_->width(), std::numeric_limits<double>::quiet_NaN());
  row.target = std::numeric_limits<double>::quiet_NaN();
  const Record& record = reader_.record();
  if (record.status == RecordStatus::ragged) return RowFault::ragged;
  if (record.status == RecordStatus::malformed) return RowFault::malformed;
  if (unit_field_) {
    row.unit = unit_in(record.fields[*unit_field_]);
    if (row.unit.empty()) return RowFault::missing_unit;
  }
  for (const Field& field : fields_) {
    const CellFault fault = layout_->columns()[field.column].read(record.fields[field.field], row.values.data());
    if (fault != CellFault::none) return row_fault(fault);
  }
  return target_field_ ? row_fault(layout_->read_target(record.fields[*target_field_], row.target)) : RowFault::none;
}

FormatEntry csv_format() {
  return {
      .name = "csv",
      .title = "CSV",
      .summary = "",
      .endings = {},
      .stored_as = 0,
      .has_delimiter = true,
      .open = [](ByteSource& source, const Schema& schema, const RowSettings& settings) -> std::unique_ptr<RowSource> {
        return std::make_unique<CsvRowSource>(source, schema, settings);
      }};
}

}  // namespace rivulet::input
