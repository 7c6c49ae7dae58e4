// The real binary as a child process: its three streams in the test's hands, no shell in between.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rivulet::cli_testing {

using Arguments = std::vector<std::string>;

struct Outcome {
  int exit_code = -1;      // -1 when a signal or the test's patience ended it
  int signal = 0;          // that ended it
  bool timed_out = false;  // killed by the test
  std::string out;
  std::string err;
};

// How a standard stream is connected.
struct Stream {
  enum class Kind { pipe, file, closed, terminal };
  Kind kind = Kind::pipe;
  std::string path;     // file
  int descriptor = -1;  // file, instead of a path: stays the test's own

  static Stream file(std::string path) { return {Kind::file, std::move(path), -1}; }
  static Stream from(int descriptor) { return {Kind::file, {}, descriptor}; }
  static Stream closed() { return {Kind::closed, {}, -1}; }
  static Stream terminal() { return {Kind::terminal, {}, -1}; }
};

// Pipes unless said otherwise.
struct Wiring {
  Stream in;
  Stream out;
  Stream err;

  Wiring& with_in(Stream stream) { return in = std::move(stream), *this; }
  Wiring& with_out(Stream stream) { return out = std::move(stream), *this; }
  Wiring& with_err(Stream stream) { return err = std::move(stream), *this; }
};

class Process {
 public:
  static constexpr std::chrono::seconds kPatience{20};

  // Starts the rivulet binary of this build.
  explicit Process(const Arguments& arguments, const Wiring& wiring = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Queued; delivered while the test waits for something.
  void write(std::string_view text) { pending_ += text; }
  void close_input_when_delivered() { close_when_delivered_ = true; }
  // The reader of the child's standard output goes away.
  void close_output();
  void send(int signal_number) const;
  // Whether the child has a handler of its own for the signal by now.
  [[nodiscard]] bool handles(int signal_number) const;

  // Moves bytes both ways until the condition holds; false when the child's output ends or time runs out first.
  bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds patience = kPatience);
  // Moves bytes for this long.
  void pass(std::chrono::milliseconds time);
  // Waits for the end by itself; kills when patience runs out.
  Outcome finish(std::chrono::milliseconds patience = kPatience);

  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }

 private:
  bool move_bytes(int milliseconds);
  void deliver();

  pid_t pid_ = -1;
  int in_ = -1;
  int out_descriptor_ = -1;
  int err_descriptor_ = -1;
  std::string pending_;
  bool close_when_delivered_ = false;
  std::string out_;
  std::string err_;
};

// From start to end, with this on standard input.
Outcome run(const Arguments& arguments, std::string_view input = {});
Outcome run(const Arguments& arguments, const Wiring& wiring);

// Whether `part` stands in `text`; a failure shows both.
inline ::testing::AssertionResult holds(std::string_view text, std::string_view part) {
  const auto found = text.find(part) != std::string_view::npos;
  return (found ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << "\"" << part << "\" in:\n" << text;
}
inline ::testing::AssertionResult lacks(std::string_view text, std::string_view part) {
  return !holds(text, part);
}

}  // namespace rivulet::cli_testing
