// Programs that black boxes run.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rivulet::audit {

// Starts a program, found by its path or on the PATH, and says its process id. Both descriptors stay the caller's; an
// input of -1 is nothing to read, and its messages are hidden unless asked for. In a process group of its own: Ctrl-C
// is for the audit, which then stops between trials. Throws IoError when the program cannot be run.
pid_t start_process(const std::vector<std::string>& command, int input, int output, bool with_messages);

}  // namespace rivulet::audit
