#include "input/record_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "rivulet/error.h"

namespace rivulet::input {

RecordReader::RecordReader(ByteSource& source, RecordLimits limits, ConsumedPrefix* prefix)
    : limits_(limits), source_(source), prefix_(prefix) {
  if (limits_.record_limit == 0 || limits_.block == 0) {
    throw RequestError("record limit", "0 bytes hold no record; accepted: at least 1");
  }
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

void RecordReader::show_prefix(std::uint64_t end) const {
  if (prefix_ == nullptr || end <= prefix_->hashed()) return;
  const char* const unseen = buffer_.data() + (prefix_->hashed() - dropped_);
  prefix_->hash({unseen, static_cast<std::size_t>(end - prefix_->hashed())});
}

}  // namespace rivulet::input
