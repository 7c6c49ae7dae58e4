// The part of a row source that knows how far it has come and goes on from there.
//
// What was consumed is not only hashed but divided into records again, as it was the first time. That costs about as
// much as the hash, and it leaves the reader in exactly the state of one that never stopped: inside a quoted field that
// was still being written, between a CR and its LF, after an unclosed quote. Looking for a line end from a byte offset
// alone would take the second line of a quoted field for a row, and one person's row would count twice.
#include <stdexcept>

#include "input/row_source.h"

namespace rivulet::input {
namespace {

constexpr std::uint64_t kProgressBytes = std::uint64_t{1} << 20;

[[noreturn]] void refuse(const std::string& name, const std::string& what, const std::string& accepted) {
  throw SourceChanged(name + ": " + what + "; no new row was read and nothing was published; accepted: " + accepted);
}

[[noreturn]] void refuse_bytes(const std::string& name, const std::string& what) {
  refuse(name, what, "the same file, with rows appended at its end");
}

std::string counted_bytes(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

void RowSource::mark_consumed() {
  if (prefix_) prefix_->end_at(reader().record_end());
  mid_line_ = reader().ended_with_input();
}

SourcePosition RowSource::position() const {
  if (!prefix_) throw std::logic_error("RowSource::position() without track_position");
  reader().show_prefix(prefix_->end());
  return {prefix_->end(), resumed_rows_ + tally_.rows, prefix_->digest(), mid_line_};
}

bool RowSource::resume(const SourcePosition& consumed, const ResumeProgress& progress) {
  if (!prefix_) throw std::logic_error("RowSource::resume() without track_position");
  if (tally_.rows != 0) throw std::logic_error("RowSource::resume() after the first row");
  if (prefix_->end() != consumed.bytes) {
    // Hashed by now is at most what precedes the header, and no input was ever consumed without its header.
    if (consumed.bytes < prefix_->hashed()) {
      refuse_bytes(source_.name(), "its header is not the one that was consumed");
    }
    prefix_->end_at(consumed.bytes);
  }

  resuming_ = true;
  std::uint64_t told = reader().record_end();
  while (reader().record_end() < consumed.bytes) {
    if (!read_record()) {
      if (source_.stopped()) return false;
      break;
    }
    ++resumed_rows_;
    if (progress && reader().record_end() - told >= kProgressBytes) progress(told = reader().record_end());
  }
  check_resumed(consumed);
  resuming_ = false;

  const bool grew = reader().record_end() > consumed.bytes;
  const bool only_line_end = reader().record_end() == consumed.bytes + 1 && !reader().ended_with_input();
  // A header that grew is no row that was counted: this source has read all of it.
  skipped_remainder_ = grew && !only_line_end && consumed.records > 0;
  mid_line_ = consumed.mid_line;
  return true;
}

bool RowSource::skip_to(std::uint64_t records) {
  if (resuming_ || tally_.rows != 0) throw std::logic_error("RowSource::skip_to() after the first row");
  while (resumed_rows_ < records) {
    if (!read_record()) {
      if (source_.stopped()) return false;
      refuse(source_.name(), "has fewer than the " + std::to_string(records) + " rows that are to be skipped",
             "at most as many as it has");
    }
    mark_consumed();
    ++resumed_rows_;
  }
  return true;
}

void RowSource::check_resumed(const SourcePosition& consumed) const {
  if (reader().offset() < consumed.bytes) {
    refuse_bytes(source_.name(), "is shorter than the " + counted_bytes(consumed.bytes) + " that were consumed of it");
  }
  reader().show_prefix(consumed.bytes);
  if (prefix_->digest() != consumed.digest) {
    refuse_bytes(source_.name(), "its first " + counted_bytes(consumed.bytes) + " are not those that were consumed");
  }
  const std::uint64_t end = reader().record_end();
  const bool ends_alike = end == consumed.bytes || (end > consumed.bytes && consumed.mid_line);
  if (resumed_rows_ != consumed.records || !ends_alike) {
    refuse(source_.name(),
           "its first " + counted_bytes(consumed.bytes) + " are those that were consumed, but divided into other rows",
           "the same file in the same format, with the same delimiter");
  }
}

}  // namespace rivulet::input
