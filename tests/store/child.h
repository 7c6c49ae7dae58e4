// Work in a process of its own that can be killed, and its last words.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <utility>

namespace rivulet::store_testing {

class Child {
 public:
  // Runs `work` in a fork of this process, which then ends without destructors, as after a kill. Exit code 0, 99 after
  // an exception, or what `work` ends with itself.
  template <typename Work>
  explicit Child(Work work) : process_(::fork()) {
    if (process_ != 0) return;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(99);
    }
    ::_exit(0);
  }
  ~Child() {
    if (process_ > 0) kill();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }

  // The exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Whether it has ended by itself; if not, kills it.
  int kill() {
    ::kill(process_, SIGKILL);
    return wait();
  }

 private:
  pid_t process_;
};

// One side tells the other, across a fork, that it got somewhere.
class Bell {
 public:
  Bell() {
    if (::pipe(ends_) != 0) std::terminate();
  }
  ~Bell() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() const {
    const char byte = '!';
    if (::write(ends_[1], &byte, 1) != 1) std::terminate();
  }
  void await() const {
    char byte = 0;
    if (::read(ends_[0], &byte, 1) != 1) std::terminate();
  }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace rivulet::store_testing
