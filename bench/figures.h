// What the benchmarks share: processor time, medians, and figures that go to a file as well.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rivulet::bench {

// Of the process: other programs on the machine do not count.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Removes a flag and the word behind it from the arguments; "" when it is not there.
inline std::string take_option(std::vector<std::string>& arguments, std::string_view flag) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != flag) continue;
    const std::string value = arguments[i + 1];
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return value;
  }
  return {};
}

// Removes a flag; whether it was there.
inline bool take_flag(std::vector<std::string>& arguments, std::string_view flag) {
  return std::erase(arguments, flag) > 0;
}

// Numbers by name, written as one JSON object. Names are plain words: nothing in them needs escaping.
class Figures {
 public:
  void add(std::string name, double value) { entries_.emplace_back(std::move(name), value); }
  // Does nothing without a path. Returns whether all is written.
  [[nodiscard]] bool write(const std::string& path) const {
    if (path.empty()) return true;
    std::ofstream file(path);
    file << "{";
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, "%.9g", entries_[i].second);
      file << (i == 0 ? "\n" : ",\n") << "  \"" << entries_[i].first << "\": " << number;
    }
    file << "\n}\n";
    return static_cast<bool>(file.flush());
  }

 private:
  std::vector<std::pair<std::string, double>> entries_;
};

}  // namespace rivulet::bench
