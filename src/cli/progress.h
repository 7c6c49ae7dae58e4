// Says what is going on while the main thread works and cannot: a thread that looks now and then whether anything
// moves.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rivulet::cli {

class SilenceWatcher {
 public:
  // `show` is called from the thread, after two seconds of one piece of work and every second of it after that, with a
  // line to show. Signals go to other threads.
  explicit SilenceWatcher(std::function<void(const std::string&)> show);
  // Waits for the thread: nothing is shown afterwards.
  ~SilenceWatcher();
  SilenceWatcher(const SilenceWatcher&) = delete;
  SilenceWatcher& operator=(const SilenceWatcher&) = delete;

  // Around a piece of work over this many rows. Cheap: for every row.
  void begin(std::uint64_t rows) {
    rows_.store(rows, std::memory_order_relaxed);
    beat_.fetch_add(1, std::memory_order_release);
  }
  void end() { beat_.fetch_add(1, std::memory_order_release); }

 private:
  void watch();

  std::function<void(const std::string&)> show_;
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> beat_{0};  // odd: at work
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// Progress on standard error: a line that rewrites itself on a terminal, a plain line now and then elsewhere.

class Progress {
 public:
  explicit Progress(bool quiet);

  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: looks at the clock at every call while rows are slow, once every few hundred calls when they are not.
  void row(std::uint64_t rows, std::uint64_t releases) {
    if (!quiet_ && --calls_until_look_ == 0) look(rows, releases);
  }
  // Bytes read of the bytes there were at the start, when that is known. More may have been added since.
  void share(std::uint64_t position, std::uint64_t total);
  // Whether the next row() may print: lets the caller skip computing the share.
  [[nodiscard]] bool due() const { return !quiet_ && calls_until_look_ == 1; }
  // Before the first row: going over what was consumed in an earlier run.
  void reading_again(std::uint64_t bytes, std::uint64_t total);
  // From here on a row may take long: on a terminal, unless quiet, work() says so.
  void expect_long_work();
  // For as long as it lives the caller is at work on a row, the last of so many.
  class Work {
   public:
    Work(SilenceWatcher* watcher, std::uint64_t rows) : watcher_(watcher) {
      if (watcher_ != nullptr) watcher_->begin(rows);
    }
    ~Work() {
      if (watcher_ != nullptr) watcher_->end();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    SilenceWatcher* watcher_;
  };
  [[nodiscard]] Work work(std::uint64_t rows) { return {watcher_.get(), rows}; }
  // Clears the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMostCallsPerLook = 256;

  void look(std::uint64_t rows, std::uint64_t releases);
  void show(const std::string& line);

  bool quiet_;
  bool terminal_;
  std::atomic<bool> shown_ = false;
  std::uint64_t calls_per_look_ = 1;
  std::uint64_t calls_until_look_ = 1;
  std::optional<double> share_;
  Clock::time_point start_;
  Clock::time_point last_look_;
  Clock::time_point next_;
  std::unique_ptr<SilenceWatcher> watcher_;
};

}  // namespace rivulet::cli
