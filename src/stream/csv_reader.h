// Splits a stream of bytes into records of comma-separated values: RFC 4180, in one pass, with bounded memory.
//
//   - A field may stand in double quotes; inside them delimiters and line ends are text and "" is one quote.
//   - A line ends with LF, CRLF or a lone CR; the last one may end with the input. Entirely empty lines are not
//   records.
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
#include <span>
#include <string_view>
#include <vector>

#include "stream/byte_source.h"
#include "stream/consumed_prefix.h"

namespace rivulet::stream {

struct CsvOptions {
  char delimiter = ',';                             // anything but a quote, CR or LF
  std::size_t record_limit = std::size_t{1} << 20;  // bytes of one record, line end not counted
  std::size_t block = std::size_t{1} << 18;         // bytes asked of the source at a time
};

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

// The same bytes give the same records however the source cuts them into blocks. Memory: a few blocks, growing with the
// longest record up to a small multiple of the record limit. Time: one look at every byte.
class CsvReader {
 public:
  // The source must outlive the reader. Throws RequestError on a delimiter that could not work or a limit of 0.
  // `prefix`, if there is one, must outlive the reader, too: it is shown every byte before the reader parts with it.
  explicit CsvReader(ByteSource& source, CsvOptions options = {}, ConsumedPrefix* prefix = nullptr);

  // False at the end of the input, or when the source was stopped: then an unfinished record waits for the next call
  // and is never delivered by halves. `record` points into the reader and is valid until the next call. Passes on
  // IoError.
  bool next(Record& record);

  // Bytes of the input looked at so far, an unfinished record included.
  [[nodiscard]] std::uint64_t offset() const { return dropped_ + position_; }
  // Bytes of the input up to the end of the last record that next() gave. The LF or CR that ends its line is included,
  // the LF of a CRLF is not.
  [[nodiscard]] std::uint64_t record_end() const { return record_end_; }
  // Whether that record ended with the input and not with a line end.
  [[nodiscard]] bool ended_with_input() const { return ended_with_input_; }
  // Shows the prefix what it has not seen of the first `end` bytes of the input; `end` is at most offset().
  void show_prefix(std::uint64_t end) const;

 private:
  // Where in a record the scan stands; kept between blocks.
  enum class State { field_start, plain, quoted, quote_in_quoted };

  bool skip_byte_order_mark();
  bool refill();
  void make_room();
  void move_record(std::vector<char>& destination);
  bool scan();
  void skip_empty_line(char line_end);
  void end_field(std::size_t end);
  void end_record(std::size_t end);
  bool end_input();
  void deliver(Record& record);
  void unescape_fields();
  void forget_delivered();

  ByteSource& source_;
  CsvOptions options_;
  ConsumedPrefix* prefix_;
  std::array<bool, 256> ends_plain_field_{};

  // One byte longer than ever filled: room for a sentinel. What was read is never altered, so that it can be hashed
  // late.
  std::vector<char> buffer_;
  std::size_t record_begin_ = 0;  // offsets into buffer_; [record_begin_, filled_) is not delivered yet
  std::size_t field_begin_ = 0;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t dropped_ = 0;     // bytes of the input before those in the buffer
  std::uint64_t record_end_ = 0;  // in the input, not in the buffer

  State state_ = State::field_start;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> escaped_fields_;  // indices of fields that hold ""
  std::vector<char> unescaped_;              // their text with every "" as one quote
  bool field_escaped_ = false;
  bool malformed_ = false;
  bool overlong_ = false;   // past the limit: its bytes are dropped as they are scanned
  bool delivered_ = false;  // the record in the buffer is the caller's until the next call
  std::size_t width_ = 0;   // 0 until the first ok record

  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 1;
  bool after_carriage_return_ = false;
  bool started_ = false;
  bool at_end_ = false;
  bool ended_with_input_ = false;
};

}  // namespace rivulet::stream
