#include "stream/csv_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "rivulet/error.h"

namespace rivulet::stream {
namespace {

constexpr char kQuote = '"';
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

}  // namespace

CsvReader::CsvReader(ByteSource& source, CsvOptions options, ConsumedPrefix* prefix)
    : source_(source), options_(options), prefix_(prefix) {
  if (options_.delimiter == kQuote || is_line_end(options_.delimiter)) {
    throw RequestError("delimiter", "a quote or a line end cannot separate fields; accepted: any other character");
  }
  if (options_.record_limit == 0 || options_.block == 0) {
    throw RequestError("record limit", "0 bytes hold no record; accepted: at least 1");
  }
  for (const char special : {options_.delimiter, '\n', '\r'}) {
    ends_plain_field_[static_cast<unsigned char>(special)] = true;
  }
  buffer_.resize(2 * options_.block + 1);
}

bool CsvReader::next(Record& record) {
  if (delivered_) forget_delivered();
  if (!started_ && !skip_byte_order_mark()) return false;
  while (!scan()) {
    if (refill()) continue;
    if (!at_end_ || !end_input()) return false;
    break;
  }
  deliver(record);
  return true;
}

void CsvReader::forget_delivered() {
  fields_.clear();
  escaped_fields_.clear();
  malformed_ = overlong_ = delivered_ = false;
  record_begin_ = position_;
  record_line_ = line_;
}

// False when reading was stopped before it was clear whether there is one.
bool CsvReader::skip_byte_order_mark() {
  while (true) {
    const std::size_t known = std::min(filled_, kByteOrderMark.size());
    const bool agrees = std::memcmp(buffer_.data(), kByteOrderMark.data(), known) == 0;
    if (agrees && known < kByteOrderMark.size()) {
      if (refill()) continue;
      if (!at_end_) return false;
    } else if (agrees) {
      position_ = record_begin_ = kByteOrderMark.size();
    }
    started_ = true;
    return true;
  }
}

// Reads one more block behind the unfinished record. False at the end of the input (at_end_) or when stopped.
bool CsvReader::refill() {
  if (at_end_) return false;
  if (position_ - record_begin_ > options_.record_limit) overlong_ = malformed_ = true;
  if (overlong_) {
    fields_.clear();
    escaped_fields_.clear();
    record_begin_ = field_begin_ = position_;
  }
  make_room();
  const std::size_t length = source_.read({buffer_.data() + filled_, options_.block});
  filled_ += length;
  if (length == 0) at_end_ = !source_.stopped();
  return length > 0;
}

void CsvReader::make_room() {
  const auto has_room = [&] { return buffer_.size() - 1 - filled_ >= options_.block; };
  if (has_room()) return;
  if (filled_ - record_begin_ + options_.block < buffer_.size()) {
    move_record(buffer_);
  } else {
    std::vector<char> larger(2 * buffer_.size());
    move_record(larger);
    buffer_.swap(larger);
  }
}

// Moves the unfinished record to the front of `destination`, which may be the buffer itself; its fields move along.
void CsvReader::move_record(std::vector<char>& destination) {
  show_prefix(dropped_ + record_begin_);
  dropped_ += record_begin_;
  const char* const old_begin = buffer_.data() + record_begin_;
  for (std::string_view& field : fields_) {
    field = {destination.data() + (field.data() - old_begin), field.size()};
  }
  std::memmove(destination.data(), old_begin, filled_ - record_begin_);
  field_begin_ -= std::min(field_begin_, record_begin_);
  position_ -= record_begin_;
  filled_ -= record_begin_;
  record_begin_ = 0;
}

void CsvReader::show_prefix(std::uint64_t end) const {
  if (prefix_ == nullptr || end <= prefix_->hashed()) return;
  const char* const unseen = buffer_.data() + (prefix_->hashed() - dropped_);
  prefix_->hash({unseen, static_cast<std::size_t>(end - prefix_->hashed())});
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
        if (bytes[at] != options_.delimiter) {
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
          if (byte != options_.delimiter) {
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
  if (end - record_begin_ > options_.record_limit) malformed_ = true;
  after_carriage_return_ = buffer_[end] == '\r';
  ++line_;
  position_ = end + 1;
}

// The last record when its line has no end. False when there is none.
bool CsvReader::end_input() {
  if (state_ == State::field_start && fields_.empty() && !overlong_) return false;
  if (position_ - record_begin_ > options_.record_limit) malformed_ = true;
  if (state_ == State::quoted) malformed_ = true;
  if (state_ == State::field_start) {
    field_begin_ = position_;
    field_escaped_ = false;
  }
  end_field(state_ == State::quote_in_quoted ? position_ - 1 : position_);
  ended_with_input_ = true;
  return true;
}

void CsvReader::deliver(Record& record) {
  delivered_ = true;
  record_end_ = offset();
  record.line = record_line_;
  if (malformed_) {
    record.fields = {};
    record.status = RecordStatus::malformed;
    return;
  }
  if (!escaped_fields_.empty()) unescape_fields();
  if (width_ == 0) width_ = fields_.size();
  record.fields = fields_;
  record.status = fields_.size() == width_ ? RecordStatus::ok : RecordStatus::ragged;
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

}  // namespace rivulet::stream
