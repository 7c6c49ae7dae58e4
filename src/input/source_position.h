// How far an input was read, in a form that recognises the input again: a model that is stored remembers it, goes on at
// the next row, and refuses an input that is not the one it was made of.
#pragma once

#include <cstdint>

#include "base/sha256.h"
#include "input/byte_source.h"
#include "rivulet/error.h"

namespace rivulet::input {

// How far an input has been consumed. Sensitive: where rows end and what they hash to depends on them exactly.
//
// The end of a row is the byte that ends its line: LF, or CR with or without an LF behind it. That LF is left to the
// next row, where it is skipped like an empty line, so that nobody has to wait for the byte after a CR to know where
// the row ended.
struct SourcePosition {
  std::uint64_t bytes = 0;    // decompressed bytes up to the end of the last row consumed, header included
  std::uint64_t records = 0;  // rows, header not counted
  Sha256Digest digest{};      // SHA-256 of those bytes
  bool mid_line = false;      // the last row ended with the input, without a line end

  bool operator==(const SourcePosition&) const = default;
};

// The input does not begin with what was consumed of it.
class SourceChanged : public Error {
 public:
  using Error::Error;
};

// Whether a source, read from its beginning, starts with the bytes that were consumed: the same input, perhaps longer
// by now. Reads at most position.bytes of it. False, too, when it was stopped before that was known
// (ByteSource::stopped()). Passes on IoError.
bool starts_with(ByteSource& source, const SourcePosition& position);

}  // namespace rivulet::input
