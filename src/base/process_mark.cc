#include "rivulet/process_mark.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "rivulet/error.h"

namespace rivulet {
namespace {

// The number of this process among its ancestors. It stands on a page of its own, which is zero in a fresh copy.
class Generation {
 public:
  Generation() {
    void* page = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw Error("process mark: the operating system gave no memory");
    current_ = new (page) Counter(0);
#ifdef MADV_WIPEONFORK
    wiped_by_kernel_ = madvise(page, sizeof(Counter), MADV_WIPEONFORK) == 0;
#endif
    if (pthread_atfork(nullptr, nullptr, [] { of_this_process().current_->store(0); }) != 0) {
      throw Error("process mark: cannot register the fork handler");
    }
  }

  static Generation& of_this_process() {
    static Generation generation;
    return generation;
  }

  std::uint64_t number() noexcept {
    std::uint64_t seen = current_->load();
    if (seen != 0) return seen;
    // The last number given is copied with the process: the next one is greater than any mark in its memory.
    const std::uint64_t next = last_.fetch_add(1) + 1;
    return current_->compare_exchange_strong(seen, next) ? next : seen;
  }

  [[nodiscard]] std::int64_t process_id() const noexcept {
    return wiped_by_kernel_ ? 0 : getpid();
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  Counter* current_ = nullptr;
  Counter last_{0};
  bool wiped_by_kernel_ = false;
};

}  // namespace

ProcessMark::ProcessMark()
    : generation_(Generation::of_this_process().number()), process_id_(Generation::of_this_process().process_id()) {}

bool ProcessMark::is_of_this_process() const {
  Generation& generation = Generation::of_this_process();
  return generation_ == generation.number() && process_id_ == generation.process_id();
}

}  // namespace rivulet
