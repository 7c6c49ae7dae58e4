// What `rivulet fit` is asked to do: a request to the library, where rows come from and where releases go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/setting_flags.h"
#include "input/row_source.h"

namespace rivulet::cli {

// As typed.
struct FitFlags {
  SettingFlags settings;
  std::optional<std::string> config;
  bool next_input = false;
  std::optional<std::string> from_row;
  std::optional<std::string> seen;
  bool quiet = false;
};

void declare_fit_flags(CLI::App& app, FitFlags& flags);

// Flags on top of the configuration file.
struct FitJob {
  request::Settings settings;        // everything that was said
  std::optional<std::string> input;  // a path, or "-"
  std::optional<input::RowFormat> format;
  std::optional<char> delimiter;
  std::optional<std::string> releases;
  std::optional<std::string> model;
  bool whole_steps = false;
  bool next_input = false;
  std::optional<std::uint64_t> from_row;
  std::optional<std::string> seen;
  std::optional<std::string> config;  // the file's path
  bool quiet = false;

  // As declared, else by the name of the input.
  [[nodiscard]] input::RowFormat row_format() const;
  // Throws RequestError.
  [[nodiscard]] StreamOptions request() const;
};

// Throws RequestError or IoError.
FitJob job_of(const FitFlags& flags);

}  // namespace rivulet::cli
