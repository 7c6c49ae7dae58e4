// Progress on standard error: a line that rewrites itself on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace rivulet::cli {

class Progress {
 public:
  explicit Progress(bool quiet);

  // Cheap: looks at the clock once every few hundred calls.
  void row(std::uint64_t rows, std::uint64_t releases) {
    if (!quiet_ && ++calls_ % kCallsPerLook == 0) look(rows, releases);
  }
  // Share of the input read, when its length is known.
  void share(std::optional<double> share) { share_ = share; }
  // Whether the next row() may print: lets the caller skip computing the share.
  [[nodiscard]] bool due() const { return !quiet_ && (calls_ + 1) % kCallsPerLook == 0; }
  // Clears the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kCallsPerLook = 256;

  void look(std::uint64_t rows, std::uint64_t releases);

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::uint64_t calls_ = 0;
  std::optional<double> share_;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace rivulet::cli
