// Rows from a CSV stream with a header: RFC 4180, in one pass, with bounded memory.
//
//   - A field may stand in double quotes; inside them delimiters and line ends are text and "" is one quote.
//   - A line ends with LF, CRLF or a lone CR; the last one may end with the input. Entirely empty lines are not
//     records.
//   - A UTF-8 byte order mark at the very beginning is skipped.
//   - A quote inside a field that does not start with one is plain text.
//
// A quote that opens a field and is never closed swallows the lines after it into one malformed record: a producer that
// writes quotes without escaping them can turn many rows into one. That is for the producer to prevent; nothing here
// can tell such text from a field with line ends in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"

namespace rivulet::input {

enum class RecordStatus {
  ok,
  ragged,     // another number of fields than the first ok record
  malformed,  // text after a closing quote, a quote never closed, or longer than the limit; fields are not given
};

struct Record {
  std::span<const std::string_view> fields;
  RecordStatus status = RecordStatus::ok;
  std::uint64_t line = 0;  // where the record starts in the input, from 1
};

// Splits bytes into records. Time: one look at every byte.
class CsvReader final : public RecordReader {
 public:
  // As RecordReader; throws RequestError on a delimiter that could not work, too.
  explicit CsvReader(ByteSource& source, const RowSettings& settings = {});

  bool next() override;
  // The record that next() found; valid until the next call.
  [[nodiscard]] const Record& record() const { return record_; }

 private:
  // Where in a record the scan stands; kept between blocks.
  enum class State { field_start, plain, quoted, quote_in_quoted };

  void move_parts(const char* from, char* to) override;
  void drop_parts() override;
  bool scan();
  void skip_empty_line(char line_end);
  void end_field(std::size_t end);
  void end_record(std::size_t end);
  bool end_input();
  void deliver();
  void unescape_fields();
  void forget_delivered();

  char delimiter_;
  std::array<bool, 256> ends_plain_field_{};

  std::size_t field_begin_ = 0;  // offset into the buffer
  State state_ = State::field_start;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> escaped_fields_;  // indices of fields that hold ""
  std::vector<char> unescaped_;              // their text with every "" as one quote
  Record record_;
  bool field_escaped_ = false;
  bool malformed_ = false;
  bool delivered_ = false;  // the record in the buffer is the caller's until the next call
  std::size_t width_ = 0;   // 0 until the first ok record

  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 1;
  bool after_carriage_return_ = false;
};

// Each record after the header is one row. The columns of a block called NAME are NAME1, NAME2, ...; all of them must
// be there, in any order.
class CsvRowSource final : public RecordRows {
 public:
  // Reads the header. Throws RequestError when a column that is needed is not in it or is there twice, or when the unit
  // column is declared as something else; IoError when there is no header at all. The byte source must outlive this;
  // the schema is copied into what is needed of it.
  CsvRowSource(ByteSource& source, const Schema& schema, const RowSettings& settings = {});

 private:
  // A column of the layout, and the field of a record that holds it.
  struct Field {
    std::size_t field;
    std::size_t column;
  };

  [[nodiscard]] RecordReader& reader() override { return reader_; }
  RowFault parse_record(Row& row) override;
  void bind(const Schema& schema, const RowSettings& settings, std::vector<std::string> names);

  CsvReader reader_;
  std::optional<RowLayout> layout_;  // once the header is known to have its columns
  std::optional<std::size_t> target_field_;
  std::optional<std::size_t> unit_field_;
  std::vector<Field> fields_;
};

}  // namespace rivulet::input
