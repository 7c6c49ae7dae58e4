
#include "cli/console.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "rivulet/error.h"

namespace rivulet::cli {

namespace {

// 0, or the error number of the write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one. Opened the wrong way round, every use of it fails.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

bool print(std::string_view text) {
  const int fault = write_all(STDOUT_FILENO, text);
  if (fault != 0 && fault != EPIPE) {
    throw IoError(std::string("standard output: cannot be written: ") + std::strerror(fault));
  }
  return fault == 0;
}

void tell(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void ask_to_stop(int signal_number) {
  if (stop.exchange(true)) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

}  // namespace

const std::atomic<bool>& stop_flag() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = ask_to_stop;  // no SA_RESTART: a waiting read returns
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)installed;
  return stop;
}

}  // namespace rivulet::cli
