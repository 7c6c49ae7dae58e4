// Rows of numbers from a stream of bytes, in the order a schema lays them out.
//
// This is the row side of the wall: what it hands out is sensitive and belongs to the kernel alone. Its errors name
// columns and lines, never the content of a cell.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "input/byte_source.h"
#include "input/consumed_prefix.h"
#include "input/record_reader.h"
#include "input/row.h"
#include "input/source_position.h"
#include "rivulet/schema.h"

namespace rivulet::input {

class RowSource {
 public:
  // Told now and then how many bytes of the prefix have been read again.
  using ResumeProgress = std::function<void(std::uint64_t bytes)>;

  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // Goes on where another source of the same kind left an input, of which this one has read no row: reads what was
  // consumed once more, from the beginning of the source, and checks that it is the same. next() then gives the first
  // row that was not consumed. position() is `consumed` until then; the tally counts the rows that next() gives.
  //
  // A last row that was consumed without its line end may have grown since. Wherever it ends now, the rest of it
  // belongs to a row that was counted and is skipped: see skipped_remainder().
  //
  // False when the source was stopped first: nothing was consumed, and resume() with the same position may be called
  // again. Throws SourceChanged when the input does not begin with what was consumed, is shorter, or is divided into
  // other rows (by another delimiter), and passes on IoError. Until it returned true next() throws std::logic_error,
  // so that no row can be consumed twice; resume() does when positions are not tracked or a row was read.
  [[nodiscard]] bool resume(const SourcePosition& consumed, const ResumeProgress& progress = {});
  // Reads over rows, as if they had been consumed, until `records` of the input are behind; before the first next().
  // False when the source was stopped first. Throws SourceChanged when the input has not so many, and passes on
  // IoError.
  [[nodiscard]] bool skip_to(std::uint64_t records);
  // Whether resume() skipped the rest of a row that was counted while it was still being written.
  [[nodiscard]] bool skipped_remainder() const { return skipped_remainder_; }

  // Fills `row` with the next row, unusable ones included. False at the end of the input or when the source was stopped
  // (ByteSource::stopped()). Passes on IoError.
  bool next(Row& row);

  // As of the last row that next() gave, that row included. Hashes what was not hashed yet, a block at most unless a
  // row is longer: not for every row. May be asked for while next() waits inside the byte source. Throws
  // std::logic_error when positions are not tracked.
  [[nodiscard]] SourcePosition position() const;
  [[nodiscard]] const OperatorTally& tally() const { return tally_; }

 protected:
  // The byte source must outlive this. Positions are tracked, for position() and resume(), at the price of hashing
  // every byte.
  RowSource(ByteSource& source, bool track_position);

  // Finds the next record that is a row. False as next().
  virtual bool read_record() = 0;
  // Reads the record that read_record() found. `row.unit` is empty on entry; the numbers of a row with a fault do not
  // matter.
  virtual RowFault parse_record(Row& row) = 0;
  [[nodiscard]] virtual const RecordReader& reader() const = 0;

  // What the reader has delivered up to now counts as consumed.
  void mark_consumed();
  [[nodiscard]] const std::string& source_name() const { return source_.name(); }
  // For the reader; null when positions are not tracked.
  [[nodiscard]] ConsumedPrefix* prefix() { return prefix_.get(); }

 private:
  void check_resumed(const SourcePosition& consumed) const;

  ByteSource& source_;
  std::unique_ptr<ConsumedPrefix> prefix_;
  OperatorTally tally_;
  std::uint64_t resumed_rows_ = 0;  // consumed before, read again by resume() or skip_to()
  bool resuming_ = false;           // resume() was called and has not succeeded
  bool mid_line_ = false;           // of the last row consumed
  bool skipped_remainder_ = false;
};

// The column `name` says whose row it is, so it is neither a feature nor the target: throws RequestError when it is.
void check_unit_column(const std::string& name, const Schema& schema);

}  // namespace rivulet::input
