// Says what is going on while the main thread works and cannot: a thread that looks now and then whether anything
// moves.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
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

}  // namespace rivulet::cli
