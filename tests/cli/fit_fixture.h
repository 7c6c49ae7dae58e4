// A temporary folder, a small data set with a known law, and the flags that describe it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_process.h"

namespace rivulet::cli_testing {

// Flags of one run, each at most once, in order.
class Flags {
 public:
  Flags(std::initializer_list<std::pair<std::string, std::string>> flags) : flags_(flags) {}

  // Replaces every value the flag had. An empty `value` is passed as it is; bare() adds a flag without one.
  [[nodiscard]] Flags with(const std::string& flag, const std::string& value) const {
    Flags result = without(flag);
    result.flags_.emplace_back(flag, value);
    return result;
  }
  // One more of a flag that may be repeated.
  [[nodiscard]] Flags plus(const std::string& flag, const std::string& value) const {
    Flags result = *this;
    result.flags_.emplace_back(flag, value);
    return result;
  }
  [[nodiscard]] Flags bare(const std::string& flag) const {
    Flags result = *this;
    result.bare_.push_back(flag);
    return result;
  }
  [[nodiscard]] Flags without(const std::string& flag) const {
    Flags result = *this;
    std::erase_if(result.flags_, [&](const auto& entry) { return entry.first == flag; });
    return result;
  }
  [[nodiscard]] Flags without(const std::string& flag, const std::string& value) const {
    Flags result = *this;
    std::erase_if(result.flags_, [&](const auto& entry) { return entry.first == flag && entry.second == value; });
    return result;
  }

  // As arguments of `command`, after `first` (a file name, say).
  [[nodiscard]] Arguments arguments(const std::string& command, const Arguments& first = {}) const {
    Arguments result{command};
    result.insert(result.end(), first.begin(), first.end());
    for (const auto& [flag, value] : flags_) {
      result.push_back(flag);
      result.push_back(value);
    }
    result.insert(result.end(), bare_.begin(), bare_.end());
    return result;
  }
  [[nodiscard]] Arguments fit(const std::string& file = "-") const { return arguments("fit", {file}); }
  [[nodiscard]] Arguments plan() const { return arguments("plan"); }

 private:
  std::vector<std::pair<std::string, std::string>> flags_;
  std::vector<std::string> bare_;
};

// y = 3 + 2 x - 1.5 z, and 4 more for kind b, 2 less for kind c; x in [0, 10], z in [-5, 5].
inline Flags fit_flags() {
  return {{"--target", "y"},         {"--features", "x,z,kind"}, {"--bound", "x=0:10"}, {"--bound", "z=-5:5"},
          {"--bound", "y=-50:50"},   {"--levels", "kind=a|b|c"}, {"--epsilon", "1"},    {"--delta", "1e-6"},
          {"--release-every", "10"}, {"--insecure-seed", "7"}};
}

inline constexpr const char* kHeader = "x,z,kind,y";

inline std::vector<std::string> data_lines(std::size_t rows, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = 10.0 * unit(random);
    const double z = 10.0 * unit(random) - 5.0;
    const char kind = "abc"[random() % 3];
    const double y = 3.0 + 2.0 * x - 1.5 * z + (kind == 'b' ? 4.0 : kind == 'c' ? -2.0 : 0.0);
    std::ostringstream line;
    line << std::setprecision(17) << x << ',' << z << ',' << kind << ',' << y;
    lines.push_back(line.str());
  }
  return lines;
}

inline std::string csv(const std::vector<std::string>& lines, const std::string& line_end = "\n") {
  std::string text = kHeader + line_end;
  for (const std::string& line : lines) text += line + line_end;
  return text;
}

inline std::string csv(std::size_t rows) {
  return csv(data_lines(rows));
}

// 400,000 rows: with a release after each, work for about a second.
inline constexpr std::size_t kLongRows = 400000;
inline std::string long_csv() {
  const std::string once = csv(10000);
  const std::string rows = once.substr(once.find('\n') + 1);
  std::string text = std::string(kHeader) + "\n";
  for (std::size_t made = 0; made < kLongRows; made += 10000) text += rows;
  return text;
}

// Fails the test when a line is cut short or is no JSON object.
inline std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  EXPECT_TRUE(text.empty() || text.back() == '\n') << "the last line is not complete";
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_TRUE(lines.back().is_object()) << line;
  }
  return lines;
}

using Names = std::vector<std::string>;

// In alphabetical order.
inline Names keys_of(const nlohmann::json& object) {
  Names keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

class FitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "rivulet_cli_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // Nothing when there is no such file.
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::filesystem::path folder_;
};

}  // namespace rivulet::cli_testing
