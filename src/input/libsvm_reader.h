// Splits a libsvm (svmlight) stream into the lines that are rows, in one pass, with bounded memory.
//
//   - A line ends with LF, CRLF or a lone CR; the last one may end with the input.
//   - Lines of blanks (spaces and tabs) and lines whose first other character is '#' are no rows.
//   - A UTF-8 byte order mark at the very beginning is skipped.
#pragma once

#include <string_view>

#include "input/record_reader.h"

namespace rivulet::input {

struct LibsvmLine {
  std::string_view text;  // from the first character that is no blank, without the line end; empty when too long
  bool too_long = false;  // longer than the limit
};

// Time: one look at every byte.
class LibsvmReader final : public RecordReader {
 public:
  explicit LibsvmReader(ByteSource& source, RecordLimits limits = {}, ConsumedPrefix* prefix = nullptr)
      : RecordReader(source, limits, prefix) {}

  // False at the end of the input, or when the source was stopped: then an unfinished line waits for the next call and
  // is never delivered by halves. `line` points into the reader and is valid until the next call. Passes on IoError.
  bool next(LibsvmLine& line);

 private:
  // What the unfinished line is, as far as it is known.
  enum class State { blank, comment, row };

  void move_parts(const char* /*from*/, char* /*to*/) override {}
  void drop_parts() override {}
  bool scan();
  void deliver(LibsvmLine& line);

  State state_ = State::blank;
};

}  // namespace rivulet::input
