// One stream whose process is killed again and again, and what must hold after every kill:
//   what was seen in the releases file stays there, byte for byte, and goes on without a gap or a repeat;
//   what stands in that file is in the model: nothing is published before it is safe;
//   there is no model, or a whole one.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <string>

#include "cli/run_process.h"

namespace rivulet::cli_testing {

class KilledStream {
 public:
  struct Setup {
    std::filesystem::path folder;  // the model is "m" there, its releases "r"
    Arguments command;             // the same every time
    std::string piped;             // to standard input from its beginning, every time; nothing when empty
    std::uint64_t rows = 0;        // in the input
    unsigned seed = 1;             // of the moments
    int signal = 9;                // SIGKILL; one that asks for a stop is answered with exit code 0
    // Adds rows to the input and says how many there are now, for a machine that takes them faster than they are
    // killed.
    std::function<std::uint64_t()> grow = {};
    Arguments last_command = {};  // when it is left alone at last; the same unless given
  };
  struct Counts {
    int kills = 0;
    int before_the_end = 0;   // those that left rows to be counted
    int unpublished = 0;      // kills that left releases in the model alone, for the next run to hand on
    int cut_off = 0;          // kills in the middle of a line
    int without_a_model = 0;  // kills before there was one
    int unfinished = 0;       // new models that never got their name
    int progress = 0;         // kills after which more was committed than before
  };

  explicit KilledStream(Setup setup);

  // Kills it this often, at moments spread over its start, its check of what was counted before, its work and its
  // commits.
  void kill(int times);
  // Once, somewhere in its first moments.
  void kill_in_its_first(std::chrono::milliseconds time);
  // Lets it come to its end.
  void finish();

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  enum class Moment { early, anywhere, around_a_commit };

  void kill_once(int done, int times);
  void end(Process& process);
  void pass(Process& process, std::chrono::microseconds time) const;
  std::chrono::microseconds up_to(double milliseconds);
  void check_releases();
  void check_model();
  [[nodiscard]] std::string file(const char* name) const { return setup_.folder / name; }

  Setup setup_;
  std::mt19937_64 random_;
  Counts counts_;
  std::string seen_;  // whole lines
  std::uint64_t last_step_ = 0;
  std::uint64_t last_rows_ = 0;
  std::string last_chain_;
  std::uint64_t committed_ = 0;  // steps, when last looked
};

std::ostream& operator<<(std::ostream& out, const KilledStream::Counts& counts);

}  // namespace rivulet::cli_testing
