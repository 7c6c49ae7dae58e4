// Command-line flags of the settings a request is made of (request/settings.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/settings.h"

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

}  // namespace rivulet::cli
