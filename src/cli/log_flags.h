// What the commands that read a model or an export have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "rivulet/release_log.h"

namespace rivulet::cli {

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
