// The digest of the part of an input that has been consumed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/sha256.h"

namespace rivulet::input {

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

}  // namespace rivulet::input
