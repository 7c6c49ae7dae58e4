#include "cli/run_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace rivulet::cli_testing {
namespace {

using Clock = std::chrono::steady_clock;

void require(bool fine, const char* what) {
  if (!fine) throw std::system_error(errno, std::generic_category(), what);
}

void close_and_forget(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

void make_nonblocking(int descriptor) {
  require(::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0, "fcntl");
}

struct Ends {
  int mine = -1;
  int childs = -1;
  bool childs_is_borrowed = false;
};

Ends connect(const Stream& stream, bool child_reads) {
  Ends ends;
  switch (stream.kind) {
    case Stream::Kind::pipe: {
      int pipe[2];
      require(::pipe2(pipe, O_CLOEXEC) == 0, "pipe2");
      ends.mine = pipe[child_reads ? 1 : 0];
      ends.childs = pipe[child_reads ? 0 : 1];
      make_nonblocking(ends.mine);
      break;
    }
    case Stream::Kind::file:
      ends.childs_is_borrowed = stream.descriptor >= 0;
      ends.childs = ends.childs_is_borrowed
                        ? stream.descriptor
                        : ::open(stream.path.c_str(), (child_reads ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
      require(ends.childs >= 0, "open");
      break;
    case Stream::Kind::terminal:
      require(::openpty(&ends.mine, &ends.childs, nullptr, nullptr, nullptr) == 0, "openpty");
      ::fcntl(ends.mine, F_SETFD, FD_CLOEXEC);
      ::fcntl(ends.childs, F_SETFD, FD_CLOEXEC);
      make_nonblocking(ends.mine);
      break;
    case Stream::Kind::closed:
      break;
  }
  return ends;
}

// Appends what is there. False at the end of the stream (a terminal says so with an error).
bool drain(int descriptor, std::string& text) {
  char block[1 << 16];
  while (true) {
    const ssize_t length = ::read(descriptor, block, sizeof block);
    if (length > 0) {
      text.append(block, static_cast<std::size_t>(length));
    } else if (length < 0 && errno == EINTR) {
      continue;
    } else {
      return length < 0 && errno == EAGAIN;
    }
  }
}

}  // namespace

Process::Process(const Arguments& arguments, const Wiring& wiring) {
  ::signal(SIGPIPE, SIG_IGN);  // a child that does not read its input is no reason for the test to die
  Ends ends[3] = {connect(wiring.in, true), connect(wiring.out, false), connect(wiring.err, false)};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; stream < 3; ++stream) {
    if (ends[stream].childs >= 0) {
      posix_spawn_file_actions_adddup2(&actions, ends[stream].childs, stream);
    } else {
      posix_spawn_file_actions_addclose(&actions, stream);
    }
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  const std::string binary = RIVULET_BINARY_DIR "/rivulet";
  std::vector<char*> argv{const_cast<char*>("rivulet")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int fault = ::posix_spawn(&pid_, binary.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (Ends& end : ends) {
    if (!end.childs_is_borrowed) close_and_forget(end.childs);
  }
  if (fault != 0) throw std::system_error(fault, std::generic_category(), "cannot start " + binary);
  in_ = ends[0].mine;
  out_descriptor_ = ends[1].mine;
  err_descriptor_ = ends[2].mine;
}

Process::~Process() {
  for (int* descriptor : {&in_, &out_descriptor_, &err_descriptor_}) close_and_forget(*descriptor);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Process::close_output() {
  close_and_forget(out_descriptor_);
}

void Process::send(int signal_number) const {
  ::kill(pid_, signal_number);
}

bool Process::handles(int signal_number) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:"))
      return ((std::stoull(line.substr(7), nullptr, 16) >> (signal_number - 1)) & 1) != 0;
  }
  return false;
}

void Process::deliver() {
  while (!pending_.empty()) {
    const ssize_t written = ::write(in_, pending_.data(), pending_.size());
    if (written < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      pending_.clear();  // nobody reads it any more
      close_and_forget(in_);
      return;
    }
    pending_.erase(0, static_cast<std::size_t>(written));
  }
}

// False when neither output can bring anything more.
bool Process::move_bytes(int milliseconds) {
  if (in_ >= 0) {
    deliver();
    if (pending_.empty() && close_when_delivered_) close_and_forget(in_);
  }
  pollfd watched[3] = {{out_descriptor_, POLLIN, 0},
                       {err_descriptor_, POLLIN, 0},
                       {in_ >= 0 && !pending_.empty() ? in_ : -1, POLLOUT, 0}};
  if (out_descriptor_ < 0 && err_descriptor_ < 0) return false;
  ::poll(watched, 3, milliseconds);
  if (watched[0].revents != 0 && !drain(out_descriptor_, out_)) close_and_forget(out_descriptor_);
  if (watched[1].revents != 0 && !drain(err_descriptor_, err_)) close_and_forget(err_descriptor_);
  return true;
}

bool Process::wait_until(const std::function<bool()>& condition, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (!condition()) {
    if (Clock::now() >= deadline || !move_bytes(5)) return condition();
  }
  return true;
}

void Process::pass(std::chrono::milliseconds time) {
  wait_until([] { return false; }, time);
}

Outcome Process::finish(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  Outcome outcome;
  int status = 0;
  bool ended = false;
  while (!ended && Clock::now() < deadline) {
    const bool open = move_bytes(20);
    ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
    if (!open && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!ended) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
    outcome.timed_out = true;
  }
  pid_ = -1;
  while ((out_descriptor_ >= 0 || err_descriptor_ >= 0) && Clock::now() < deadline) move_bytes(1);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = out_;
  outcome.err = err_;
  return outcome;
}

Outcome run(const Arguments& arguments, std::string_view input) {
  Process process(arguments);
  process.write(input);
  process.close_input_when_delivered();
  return process.finish();
}

Outcome run(const Arguments& arguments, const Wiring& wiring) {
  Process process(arguments, wiring);
  process.close_input_when_delivered();
  return process.finish();
}

}  // namespace rivulet::cli_testing
