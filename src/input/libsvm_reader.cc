#include "input/libsvm_reader.h"

namespace rivulet::input {

bool LibsvmReader::next(LibsvmLine& line) {
  if (!skip_byte_order_mark()) return false;
  while (!scan()) {
    if (refill()) continue;
    if (!at_end_ || state_ != State::row) return false;
    ended_with_input_ = true;
    break;
  }
  deliver(line);
  return true;
}

// Goes on from position_. True when position_ is at the end of a row; false when the filled part of the buffer is used
// up. What is no row is dropped as it is scanned, however long it is.
bool LibsvmReader::scan() {
  buffer_[filled_] = '\n';  // ends the search for a line end
  const char* const bytes = buffer_.data();
  while (position_ < filled_) {
    if (state_ == State::blank) {
      const char byte = bytes[position_];
      if (byte == ' ' || byte == '\t' || is_line_end(byte)) {
        record_begin_ = ++position_;
        continue;
      }
      state_ = byte == '#' ? State::comment : State::row;
    }
    std::size_t at = position_;
    while (!is_line_end(bytes[at])) ++at;
    position_ = at;
    if (state_ == State::row) return at < filled_;
    record_begin_ = position_;
    if (at < filled_) state_ = State::blank;
  }
  return false;
}

void LibsvmReader::deliver(LibsvmLine& line) {
  const std::size_t length = position_ - record_begin_;
  line.too_long = overlong_ || length > limits_.record_limit;
  line.text = line.too_long ? std::string_view() : std::string_view(buffer_.data() + record_begin_, length);
  if (!ended_with_input_) ++position_;
  record_end_ = offset();
  record_begin_ = position_;
  state_ = State::blank;
  overlong_ = false;
}

}  // namespace rivulet::input
