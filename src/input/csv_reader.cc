#include "input/csv_reader.h"

#include <algorithm>
#include <cstring>

#include "rivulet/error.h"

namespace rivulet::input {
namespace {

constexpr char kQuote = '"';

}  // namespace

CsvReader::CsvReader(ByteSource& source, CsvOptions options, ConsumedPrefix* prefix)
    : RecordReader(source, {options.record_limit, options.block}, prefix), delimiter_(options.delimiter) {
  if (delimiter_ == kQuote || is_line_end(delimiter_)) {
    throw RequestError("delimiter", "a quote or a line end cannot separate fields; accepted: any other character");
  }
  for (const char special : {delimiter_, '\n', '\r'}) {
    ends_plain_field_[static_cast<unsigned char>(special)] = true;
  }
}

bool CsvReader::next(Record& record) {
  if (delivered_) forget_delivered();
  if (!skip_byte_order_mark()) return false;
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

// The offset of the field goes along with the pointers.
void CsvReader::move_parts(const char* from, char* to) {
  for (std::string_view& field : fields_) field = {to + (field.data() - from), field.size()};
  field_begin_ -= std::min(field_begin_, record_begin_);
}

void CsvReader::drop_parts() {
  malformed_ = true;
  fields_.clear();
  escaped_fields_.clear();
  field_begin_ = position_;
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
        if (bytes[at] != delimiter_) {
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
          if (byte != delimiter_) {
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
  if (end - record_begin_ > limits_.record_limit) malformed_ = true;
  after_carriage_return_ = buffer_[end] == '\r';
  ++line_;
  position_ = end + 1;
}

// The last record when its line has no end. False when there is none.
bool CsvReader::end_input() {
  if (state_ == State::field_start && fields_.empty() && !overlong_) return false;
  if (position_ - record_begin_ > limits_.record_limit) malformed_ = true;
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

}  // namespace rivulet::input
