// Rows from a stream of bytes: bytes come in blocks, records are found in them, and it is known where in the input the
// last record ended, so that a reading can be left and resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "input/byte_source.h"
#include "input/row_source.h"

namespace rivulet::input {

// The digest of the part of an input that has been consumed.
//
// Takes the bytes of an input in order, in pieces as large as their reader likes, while the end of what is consumed
// moves on row by row. A reader may have to part with bytes beyond that end (empty lines, a row too long to keep)
// before it is known whether they will be consumed, so the digest at the end is kept when the hash goes past it.
// Moving the end costs nothing; hashing costs what SHA-256 costs.
class ConsumedPrefix {
 public:
  // Bytes of the input consumed.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  // Bytes of the input hashed: hash() takes those that follow.
  [[nodiscard]] std::uint64_t hashed() const { return hashed_; }

  // Moves the end, not to before hashed(): what was before that is gone.
  void end_at(std::uint64_t end) { end_ = end; }
  void hash(std::string_view next);
  // Of the first end() bytes, which must have been hashed.
  [[nodiscard]] Sha256Digest digest() const { return hashed_ > end_ ? at_end_.digest() : running_.digest(); }

 private:
  std::uint64_t end_ = 0;
  std::uint64_t hashed_ = 0;
  Sha256 running_;  // of the first hashed_ bytes
  Sha256 at_end_;   // of the first end_ bytes when hashed_ > end_
};

// What the readers of records have in common: an unfinished record is kept whole, and the same bytes give the same
// records however the source cuts them into blocks. Memory: a few blocks, growing with the longest record up to a small
// multiple of the record limit. A UTF-8 byte order mark at the very beginning is skipped.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Finds the next record. False at the end of the input, or when the source was stopped: then an unfinished record
  // waits for the next call and is never delivered by halves. What was delivered points into the reader and is valid
  // until the next call. Passes on IoError.
  virtual bool next() = 0;

  // Bytes of the input looked at so far, an unfinished record included.
  [[nodiscard]] std::uint64_t offset() const { return dropped_ + position_; }
  // Bytes of the input up to the end of the last record that was delivered. The LF or CR that ends its line is
  // included, the LF of a CRLF is not.
  [[nodiscard]] std::uint64_t record_end() const { return record_end_; }
  // Whether that record ended with the input and not with a line end.
  [[nodiscard]] bool ended_with_input() const { return ended_with_input_; }

  // Null unless positions are tracked. It has seen every byte that the reader has parted with.
  [[nodiscard]] ConsumedPrefix* prefix() { return prefix_ ? &*prefix_ : nullptr; }
  // Shows the prefix what it has not seen of the first `end` bytes of the input; `end` is at most offset().
  void show_prefix(std::uint64_t end);

 protected:
  // The source must outlive the reader. Throws RequestError on a limit of 0.
  RecordReader(ByteSource& source, const RowSettings& settings);

  // Skips the byte order mark, or what there is of one that is still being written. False when reading was stopped
  // before it was clear whether there is one.
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
  std::optional<ConsumedPrefix> prefix_;
  std::uint64_t dropped_ = 0;  // bytes of the input before those in the buffer
  bool started_ = false;
};

// Lines that are rows, each whole. Lines of blanks (spaces and tabs) are no rows, nor are lines whose first other
// character is `comment`, if there is one. A line ends with LF, CRLF or a lone CR; the last one may end with the input.
// Time: one look at every byte.
class LineReader final : public RecordReader {
 public:
  LineReader(ByteSource& source, const RowSettings& settings, std::optional<char> comment = std::nullopt)
      : RecordReader(source, settings), comment_(comment) {}

  bool next() override;
  // From the first character that is no blank, without the line end; empty when too long.
  [[nodiscard]] std::string_view line() const { return line_; }
  // Longer than the limit.
  [[nodiscard]] bool too_long() const { return too_long_; }

 private:
  // What the unfinished line is, as far as it is known.
  enum class State { blank, comment, row };

  void move_parts(const char* /*from*/, char* /*to*/) override {}
  void drop_parts() override {}
  bool scan();

  std::optional<char> comment_;
  State state_ = State::blank;
  std::string_view line_;
  bool too_long_ = false;
};

// The position of a source that reads bytes: SourcePosition of the kind "bytes".
//
// The end of a row is the byte that ends its line: LF, or CR with or without an LF behind it. That LF is left to the
// next row, where it is skipped like an empty line, so that nobody has to wait for the byte after a CR to know where
// the row ended.
struct BytePosition {
  static constexpr std::string_view kKind = "bytes";

  std::uint64_t bytes = 0;    // decompressed bytes up to the end of the last row consumed, header included
  std::uint64_t records = 0;  // rows, header not counted
  Sha256Digest digest{};      // SHA-256 of those bytes
  bool mid_line = false;      // the last row ended with the input, without a line end

  // Throws SourceChanged on a position of another kind.
  static BytePosition from(const SourcePosition& position);
  operator SourcePosition() const;
  bool operator==(const BytePosition&) const = default;
};

// Rows that are records of a stream of bytes. Positions are tracked at the price of hashing every byte; resume() reads
// what was consumed once more, from the beginning of the source. position() hashes what was not hashed yet, a block at
// most unless a row is longer: not for every row.
class RecordRows : public RowSource {
 public:
  [[nodiscard]] bool stopped() const override { return source_.stopped(); }
  [[nodiscard]] SourcePosition position() override;
  [[nodiscard]] bool resume(const SourcePosition& position, const ResumeProgress& progress = {}) override;
  [[nodiscard]] bool skip_to(std::uint64_t records) override;
  [[nodiscard]] bool skipped_remainder() const override { return skipped_remainder_; }

 protected:
  // The byte source must outlive this.
  explicit RecordRows(ByteSource& source) : source_(source) {}

  [[nodiscard]] virtual RecordReader& reader() = 0;
  // Reads the record that the reader delivered, as RowSource::read() does.
  virtual RowFault parse_record(Row& row) = 0;

  // What the reader has delivered up to now counts as consumed.
  void mark_consumed();
  [[nodiscard]] const std::string& source_name() const { return source_.name(); }

 private:
  std::optional<RowFault> read(Row& row) final;
  void check_resumed(const BytePosition& consumed);

  ByteSource& source_;
  std::uint64_t resumed_rows_ = 0;  // consumed before, read again by resume() or skip_to()
  bool resuming_ = false;           // resume() was called and has not succeeded
  bool mid_line_ = false;           // of the last row consumed
  bool skipped_remainder_ = false;
};

// Whether a source, read from its beginning, starts with the bytes that were consumed: the same input, perhaps longer
// by now. Reads no more of it than that. False, too, for a position of another kind, and when it was stopped before
// that was known (ByteSource::stopped()). Passes on IoError.
bool starts_with(ByteSource& source, const SourcePosition& consumed);

}  // namespace rivulet::input
