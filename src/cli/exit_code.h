// What the process tells its caller.
#pragma once

namespace rivulet::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,            // a file or stream could not be read or written
  kBadRequest = 2,        // nothing was read or published
  kHorizonExceeded = 3,   // what was published stays valid
  kInterrupted = 130,     // Ctrl-C or SIGTERM; what was published stays valid
};

}  // namespace rivulet::cli
