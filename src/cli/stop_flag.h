// Ctrl-C and SIGTERM ask for a stop; reading ends at the next row and everything published is flushed.
#pragma once

#include <atomic>

namespace rivulet::cli {

// Installs the handlers on first use. A second signal ends the process at once.
const std::atomic<bool>& stop_flag();

}  // namespace rivulet::cli
