// What the process tells its caller.
#pragma once

namespace rivulet::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,           // a file or stream could not be read or written; what was published stays valid
  kBadRequest = 2,       // no row was read and nothing published
  kHorizonExceeded = 3,  // what was published stays valid
  kInterrupted = 130,    // Ctrl-C or SIGTERM; what was published stays valid
};

}  // namespace rivulet::cli
