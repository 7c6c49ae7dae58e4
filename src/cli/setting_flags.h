// Command-line flags of the settings a request is made of (request/settings.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "request/settings.h"
#include <cstdint>
#include "rivulet/release_log.h"

namespace rivulet::cli {

// Not to be moved once flags are declared: the parser writes into it.
class SettingFlags {
 public:
  // A flag for every setting that `wanted` accepts, under the heading of its group or under none.
  void declare(CLI::App& app, const std::function<bool(const request::Setting&)>& wanted, bool with_headings = true);
  // The setting as an argument without a flag.
  void declare_argument(CLI::App& app, std::string_view key, std::string help);

  // What was typed. Throws RequestError when it cannot be read.
  [[nodiscard]] request::Settings given() const;

 private:
  struct Typed {
    std::optional<std::string> value;
    std::vector<std::string> values;  // of a setting that may be repeated
    bool yes = false;  // of a toggle
    bool no = false;
  };
  std::map<std::string, Typed, std::less<>> typed_;  // by key
};


// What the commands that read a model or an export have in common.

struct LogFlags {
  std::string model;
  std::optional<std::string> at;
  std::string level = "0.95";
};

void declare_model(CLI::App& app, LogFlags& flags);
void declare_at(CLI::App& app, LogFlags& flags);
void declare_level(CLI::App& app, LogFlags& flags);

// The step asked for, or the last one. Throws RequestError when there is no such release.
std::uint64_t chosen_step(const LogFlags& flags, const ReleaseLog& log);
// Strictly between 0 and 1.
double chosen_level(const LogFlags& flags);

}  // namespace rivulet::cli
