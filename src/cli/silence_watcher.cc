#include "cli/silence_watcher.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "cli/stop_flag.h"

namespace rivulet::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string line_for(std::uint64_t rows, Clock::duration silence) {
  if (stop_flag().load()) {
    return fmt::format("stopping when the solver is done with {} rows; Ctrl-C again stops at once", rows);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
  return fmt::format("solving over {} rows, {}:{:02} so far", rows, seconds / 60, seconds % 60);
}

}  // namespace

SilenceWatcher::SilenceWatcher(std::function<void(const std::string&)> show) : show_(std::move(show)) {
  // A thread inherits the mask: a signal must find the one that waits for input, or its read would not return.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SilenceWatcher::~SilenceWatcher() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SilenceWatcher::watch() {
  constexpr std::chrono::milliseconds kLook{250};
  constexpr std::chrono::milliseconds kPatience{1750};  // and a look: two seconds at most
  std::uint64_t seen = beat_.load(std::memory_order_acquire);
  Clock::time_point since = Clock::now();
  Clock::time_point next = since + kPatience;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    const std::uint64_t beat = beat_.load(std::memory_order_acquire);
    const Clock::time_point now = Clock::now();
    if (beat != seen || beat % 2 == 0) {
      seen = beat;
      since = now;
      next = now + kPatience;
    } else if (now >= next) {
      show_(line_for(rows_.load(std::memory_order_relaxed), now - since + kLook));
      next = now + std::chrono::seconds(1);
    }
  }
}

}  // namespace rivulet::cli
