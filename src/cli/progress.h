// Progress on standard error: a line that rewrites itself on a terminal, a plain line now and then elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/silence_watcher.h"

namespace rivulet::cli {

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
