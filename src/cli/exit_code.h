// What the process tells its caller.
#pragma once

namespace rivulet::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;      // a file or stream could not be read or written; what was published stays valid
inline constexpr int kBadRequest = 2;  // no row was read and nothing published
inline constexpr int kHorizonExceeded = 3;  // what was published stays valid
// The model is in use, damaged, or behind what was published, or its input is not the one it was made of. Nothing was
// read, published or changed.
inline constexpr int kRefused = 4;
inline constexpr int kViolation = 5;      // an audit proved that more is told than was promised
inline constexpr int kInterrupted = 130;  // Ctrl-C or SIGTERM; what was published stays valid

}  // namespace rivulet::cli
