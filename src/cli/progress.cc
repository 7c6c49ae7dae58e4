
#include "cli/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "cli/console.h"

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

namespace {

std::string bar(double share) {
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(share * kWidth);
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kWidth - filled), '.') + "]";
}

std::string duration(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string short_count(double count) {
  if (count >= 1e6) return fmt::format("{:.2f}M", count / 1e6);
  if (count >= 1e4) return fmt::format("{:.0f}k", count / 1e3);
  return fmt::format("{:.0f}", count);
}

// A longer line would wrap, and only its last part could be rewritten.
std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

}  // namespace

Progress::Progress(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_look_(start_) {
  next_ = start_ + (terminal_ ? std::chrono::milliseconds(300) : std::chrono::milliseconds(2000));
}

void Progress::share(std::uint64_t position, std::uint64_t total) {
  if (total > 0) share_ = std::min(1.0, static_cast<double>(position) / static_cast<double>(total));
}

void Progress::look(std::uint64_t rows, std::uint64_t releases) {
  const Clock::time_point now = Clock::now();
  const bool quick = now - last_look_ < std::chrono::milliseconds(10);
  calls_per_look_ = quick ? std::min(2 * calls_per_look_, kMostCallsPerLook) : 1;
  calls_until_look_ = calls_per_look_;
  last_look_ = now;
  if (now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string line =
      fmt::format("{} rows, {} rows/s, {} releases", rows, short_count(static_cast<double>(rows) / elapsed), releases);
  if (share_ && *share_ > 0.0) {
    line = fmt::format("{} {:3.0f}%  {}, {} left", bar(*share_), 100.0 * *share_, line,
                       duration(elapsed * (1.0 - *share_) / *share_));
  }
  show(line);
}

void Progress::reading_again(std::uint64_t bytes, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000));
  const double done = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total));
  show(fmt::format("{} {:3.0f}%  checking the rows counted before", bar(done), 100.0 * done));
}

void Progress::expect_long_work() {
  if (terminal_ && !quiet_)
    watcher_ = std::make_unique<SilenceWatcher>([this](const std::string& line) { show(line); });
}

void Progress::show(const std::string& line) {
  if (terminal_) {
    tell("\r\x1b[K" + line.substr(0, terminal_columns()));
    shown_ = true;
  } else {
    tell(line + "\n");
  }
}

void Progress::finish() {
  watcher_.reset();
  if (shown_) tell("\r\x1b[K");
  shown_ = false;
}

}  // namespace rivulet::cli
