// What the readers of records have in common: bytes come in blocks, an unfinished record is kept whole, and it is known
// where in the input the last record ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "input/byte_source.h"
#include "input/consumed_prefix.h"

namespace rivulet::input {

struct RecordLimits {
  std::size_t record_limit = std::size_t{1} << 20;  // bytes of one record, line end not counted
  std::size_t block = std::size_t{1} << 18;         // bytes asked of the source at a time
};

// The same bytes give the same records however the source cuts them into blocks. Memory: a few blocks, growing with the
// longest record up to a small multiple of the record limit.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Bytes of the input looked at so far, an unfinished record included.
  [[nodiscard]] std::uint64_t offset() const { return dropped_ + position_; }
  // Bytes of the input up to the end of the last record that was delivered. The LF or CR that ends its line is
  // included, the LF of a CRLF is not.
  [[nodiscard]] std::uint64_t record_end() const { return record_end_; }
  // Whether that record ended with the input and not with a line end.
  [[nodiscard]] bool ended_with_input() const { return ended_with_input_; }
  // Shows the prefix what it has not seen of the first `end` bytes of the input; `end` is at most offset().
  void show_prefix(std::uint64_t end) const;

 protected:
  // The source must outlive the reader. Throws RequestError on a limit of 0. `prefix`, if there is one, must outlive
  // the reader, too: it is shown every byte before the reader parts with it.
  RecordReader(ByteSource& source, RecordLimits limits, ConsumedPrefix* prefix);

  // Skips a UTF-8 byte order mark at the very beginning, or what there is of one that is still being written. False
  // when reading was stopped before it was clear whether there is one.
  bool skip_byte_order_mark();
  // Reads one more block behind the unfinished record. False at the end of the input (at_end_) or when stopped. A
  // record that is past the limit loses the bytes that were scanned.
  bool refill();
  // The unfinished record, which begins at `from`, is about to be moved to `to`: pointers into it go along.
  virtual void move_parts(const char* from, char* to) = 0;
  // The unfinished record turned out to be too long to keep.
  virtual void drop_parts() = 0;

  static bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

  RecordLimits limits_;
  // One byte longer than ever filled: room for a sentinel. What was read is never altered, so that it can be hashed
  // late.
  std::vector<char> buffer_;
  std::size_t record_begin_ = 0;  // offsets into buffer_; [record_begin_, filled_) is not delivered yet
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t record_end_ = 0;  // in the input, not in the buffer
  bool overlong_ = false;         // past the limit: its bytes are dropped as they are scanned
  bool at_end_ = false;
  bool ended_with_input_ = false;

 private:
  void make_room();
  void move_record(std::vector<char>& destination);

  ByteSource& source_;
  ConsumedPrefix* prefix_;
  std::uint64_t dropped_ = 0;  // bytes of the input before those in the buffer
  bool started_ = false;
};

}  // namespace rivulet::input
