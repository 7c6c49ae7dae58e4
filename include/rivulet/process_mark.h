// Tells a process from its copies.
//
// A copy of a process (fork) has everything the process had: its rows, its position in a stream, its random bits. What
// must happen once only - a draw, a published step - asks a mark first. Copies made by the bare system call (clone,
// without the C library's fork handlers) are seen too: the kernel wipes a page in them (MADV_WIPEONFORK, Linux 4.14 and
// later). Elsewhere, fork handlers and the process id must do; a bare clone into a process of the same id (another PID
// namespace) passes them. Threads, and copies that share their memory (CLONE_VM), are not copies in this sense.
#pragma once

#include <cstdint>

namespace rivulet {

class ProcessMark {
 public:
  // Of the process that makes it. Throws Error when the system refuses a page or a fork handler.
  ProcessMark();

  // False in every copy of that process, and in their copies. Safe from any thread.
  [[nodiscard]] bool is_of_this_process() const;

 private:
  std::uint64_t generation_;
  std::int64_t process_id_;  // 0 where the kernel wipes the page
};

}  // namespace rivulet
