#include "cli/stop_flag.h"

#include <signal.h>

namespace rivulet::cli {
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
