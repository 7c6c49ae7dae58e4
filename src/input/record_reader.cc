#include "input/record_reader.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/bytes.h"
#include "rivulet/error.h"

namespace rivulet::input {

void ConsumedPrefix::hash(std::string_view next) {
  const std::uint64_t to_end = end_ > hashed_ ? end_ - hashed_ : 0;
  const std::string_view consumed =
      next.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(to_end, next.size())));
  const std::string_view ahead = next.substr(consumed.size());
  if (!consumed.empty()) running_.update(consumed);
  if (!ahead.empty()) {
    if (hashed_ <= end_) at_end_ = running_;
    running_.update(ahead);
  }
  hashed_ += next.size();
}

RecordReader::RecordReader(ByteSource& source, const RowSettings& settings)
    : limits_(settings.limits), source_(source) {
  if (limits_.record_limit == 0 || limits_.block == 0) {
    throw RequestError("record limit", "0 bytes hold no record; accepted: at least 1");
  }
  if (settings.track_position) prefix_.emplace();
  buffer_.resize(2 * limits_.block + 1);
}

bool RecordReader::skip_byte_order_mark() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (!started_) {
    const std::size_t known = std::min(filled_, kByteOrderMark.size());
    const bool agrees = std::memcmp(buffer_.data(), kByteOrderMark.data(), known) == 0;
    if (agrees && known < kByteOrderMark.size()) {
      if (refill()) continue;
      if (!at_end_) return false;
    }
    if (agrees) position_ = record_begin_ = known;
    started_ = true;
  }
  return true;
}

bool RecordReader::refill() {
  if (at_end_) return false;
  if (position_ - record_begin_ > limits_.record_limit) overlong_ = true;
  if (overlong_) {
    drop_parts();
    record_begin_ = position_;
  }
  make_room();
  const std::size_t length = source_.read({buffer_.data() + filled_, limits_.block});
  filled_ += length;
  if (length == 0) at_end_ = !source_.stopped();
  return length > 0;
}

void RecordReader::make_room() {
  const auto has_room = [&] { return buffer_.size() - 1 - filled_ >= limits_.block; };
  if (has_room()) return;
  if (filled_ - record_begin_ + limits_.block < buffer_.size()) {
    move_record(buffer_);
  } else {
    std::vector<char> larger(2 * buffer_.size());
    move_record(larger);
    buffer_.swap(larger);
  }
}

// Moves the unfinished record to the front of `destination`, which may be the buffer itself.
void RecordReader::move_record(std::vector<char>& destination) {
  show_prefix(dropped_ + record_begin_);
  dropped_ += record_begin_;
  const char* const old_begin = buffer_.data() + record_begin_;
  move_parts(old_begin, destination.data());
  std::memmove(destination.data(), old_begin, filled_ - record_begin_);
  position_ -= record_begin_;
  filled_ -= record_begin_;
  record_begin_ = 0;
}

void RecordReader::show_prefix(std::uint64_t end) {
  if (!prefix_ || end <= prefix_->hashed()) return;
  const char* const unseen = buffer_.data() + (prefix_->hashed() - dropped_);
  prefix_->hash({unseen, static_cast<std::size_t>(end - prefix_->hashed())});
}

namespace {

// The first line end in [begin, end), or `end`. A window at a time, so that a text with one kind of line end alone is
// not searched to its end for the other kind at every line.
const char* find_line_end(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kWindow = 512;
  for (const char* stop = begin; begin != end; begin = stop) {
    stop = end - begin > kWindow ? begin + kWindow : end;
    const void* const feed = std::memchr(begin, '\n', static_cast<std::size_t>(stop - begin));
    const char* const before = feed == nullptr ? stop : static_cast<const char*>(feed);
    const void* const carriage = std::memchr(begin, '\r', static_cast<std::size_t>(before - begin));
    if (carriage != nullptr) return static_cast<const char*>(carriage);
    if (feed != nullptr) return before;
  }
  return end;
}

}  // namespace

bool LineReader::next() {
  if (!skip_byte_order_mark()) return false;
  while (!scan()) {
    if (refill()) continue;
    if (!at_end_ || state_ != State::row) return false;
    ended_with_input_ = true;
    break;
  }
  const std::size_t length = position_ - record_begin_;
  too_long_ = overlong_ || length > limits_.record_limit;
  line_ = too_long_ ? std::string_view() : std::string_view(buffer_.data() + record_begin_, length);
  if (!ended_with_input_) ++position_;
  record_end_ = offset();
  record_begin_ = position_;
  state_ = State::blank;
  overlong_ = false;
  return true;
}

// Goes on from position_. True when position_ is at the end of a row; false when the filled part of the buffer is used
// up. What is no row is dropped as it is scanned, however long it is.
bool LineReader::scan() {
  const char* const bytes = buffer_.data();
  while (position_ < filled_) {
    if (state_ == State::blank) {
      const char byte = bytes[position_];
      if (byte == ' ' || byte == '\t' || is_line_end(byte)) {
        record_begin_ = ++position_;
        continue;
      }
      state_ = byte == comment_ ? State::comment : State::row;
    }
    position_ = static_cast<std::size_t>(find_line_end(bytes + position_, bytes + filled_) - bytes);
    if (state_ == State::row) return position_ < filled_;
    record_begin_ = position_;
    if (position_ < filled_) state_ = State::blank;
  }
  return false;
}

// Resuming. What was consumed is not only hashed but divided into records again, as it was the first time. That costs
// about as much as the hash, and it leaves the reader in exactly the state of one that never stopped: inside a quoted
// field that was still being written, between a CR and its LF, after an unclosed quote. Looking for a line end from a
// byte offset alone would take the second line of a quoted field for a row, and one person's row would count twice.
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

BytePosition BytePosition::from(const SourcePosition& position) {
  BytePosition found;
  constexpr std::size_t kStateBytes = 8 + sizeof(found.digest) + 8;
  if (position.kind != kKind || position.state.size() != kStateBytes) {
    throw SourceChanged(
        "the rows that were counted did not come from a file or a pipe; no new row was read and nothing was "
        "published; accepted: the source that they came from");
  }
  ByteReader in(position.state, "position");
  found.bytes = in.u64();
  const std::string_view bytes = in.raw(found.digest.size());
  std::copy(bytes.begin(), bytes.end(), found.digest.begin());
  found.mid_line = in.u64() != 0;
  found.records = position.records;
  return found;
}

BytePosition::operator SourcePosition() const {
  ByteWriter out;
  out.u64(bytes);
  out.raw({reinterpret_cast<const char*>(digest.data()), digest.size()});
  out.u64(mid_line ? 1 : 0);
  return {std::string(kKind), records, out.take()};
}

std::optional<RowFault> RecordRows::read(Row& row) {
  if (resuming_) throw std::logic_error("RowSource::next() before resume() succeeded");
  if (!reader().next()) return std::nullopt;
  mark_consumed();
  return parse_record(row);
}

void RecordRows::mark_consumed() {
  RecordReader& records = reader();
  if (records.prefix() != nullptr) records.prefix()->end_at(records.record_end());
  mid_line_ = records.ended_with_input();
}

SourcePosition RecordRows::position() {
  ConsumedPrefix* const prefix = reader().prefix();
  if (prefix == nullptr) throw std::logic_error("RowSource::position() without track_position");
  reader().show_prefix(prefix->end());
  return BytePosition{prefix->end(), resumed_rows_ + tally().rows, prefix->digest(), mid_line_};
}

bool RecordRows::resume(const SourcePosition& position, const ResumeProgress& progress) {
  RecordReader& records = reader();
  ConsumedPrefix* const prefix = records.prefix();
  if (prefix == nullptr) throw std::logic_error("RowSource::resume() without track_position");
  if (tally().rows != 0) throw std::logic_error("RowSource::resume() after the first row");
  const BytePosition consumed = BytePosition::from(position);
  if (prefix->end() != consumed.bytes) {
    // Hashed by now is at most what precedes the header, and no input was ever consumed without its header.
    if (consumed.bytes < prefix->hashed()) refuse_bytes(source_name(), "its header is not the one that was consumed");
    prefix->end_at(consumed.bytes);
  }

  resuming_ = true;
  std::uint64_t told = records.record_end();
  while (records.record_end() < consumed.bytes) {
    if (!records.next()) {
      if (stopped()) return false;
      break;
    }
    ++resumed_rows_;
    if (progress && records.record_end() - told >= kProgressBytes) {
      progress(told = records.record_end(), consumed.bytes);
    }
  }
  check_resumed(consumed);
  resuming_ = false;

  const bool grew = records.record_end() > consumed.bytes;
  const bool only_line_end = records.record_end() == consumed.bytes + 1 && !records.ended_with_input();
  // A header that grew is no row that was counted: this source has read all of it.
  skipped_remainder_ = grew && !only_line_end && consumed.records > 0;
  mid_line_ = consumed.mid_line;
  return true;
}

bool RecordRows::skip_to(std::uint64_t records) {
  if (resuming_ || tally().rows != 0) throw std::logic_error("RowSource::skip_to() after the first row");
  while (resumed_rows_ < records) {
    if (!reader().next()) {
      if (stopped()) return false;
      refuse(source_name(), "has fewer than the " + std::to_string(records) + " rows that are to be skipped",
             "at most as many as it has");
    }
    mark_consumed();
    ++resumed_rows_;
  }
  return true;
}

void RecordRows::check_resumed(const BytePosition& consumed) {
  RecordReader& records = reader();
  if (records.offset() < consumed.bytes) {
    refuse_bytes(source_name(), "is shorter than the " + counted_bytes(consumed.bytes) + " that were consumed of it");
  }
  records.show_prefix(consumed.bytes);
  if (records.prefix()->digest() != consumed.digest) {
    refuse_bytes(source_name(), "its first " + counted_bytes(consumed.bytes) + " are not those that were consumed");
  }
  const std::uint64_t end = records.record_end();
  const bool ends_alike = end == consumed.bytes || (end > consumed.bytes && consumed.mid_line);
  if (resumed_rows_ != consumed.records || !ends_alike) {
    refuse(source_name(),
           "its first " + counted_bytes(consumed.bytes) + " are those that were consumed, but divided into other rows",
           "the same file in the same format, with the same delimiter");
  }
}

bool starts_with(ByteSource& source, const SourcePosition& consumed) {
  if (consumed.kind != BytePosition::kKind) return false;
  const BytePosition position = BytePosition::from(consumed);
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  std::vector<char> block(kBlock);
  Sha256 hash;
  for (std::uint64_t left = position.bytes; left > 0;) {
    const std::size_t length =
        source.read({block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(left, kBlock))});
    if (length == 0) return false;
    hash.update({block.data(), length});
    left -= length;
  }
  return hash.digest() == position.digest;
}

}  // namespace rivulet::input
