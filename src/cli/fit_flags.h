// The flags of `rivulet fit`, and how they combine with a configuration file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/loss_flags.h"
#include "cli/sketch_flags.h"
#include "stream/config.h"

namespace rivulet::cli {

// As typed. Flags that were not given stay empty, so that the configuration file can speak.
struct FitFlags {
  std::optional<std::string> input;
  std::optional<std::string> config;
  std::optional<std::string> format;
  std::optional<std::string> target;
  std::vector<std::string> features;
  std::vector<std::string> blocks;
  std::optional<std::string> dimension;
  std::vector<std::string> bounds;
  std::vector<std::string> levels;
  bool intercept = false;
  bool no_intercept = false;
  std::optional<std::string> clip_norm;
  std::optional<std::string> epsilon;
  std::optional<std::string> delta;
  std::optional<std::string> neighbours;
  std::optional<std::string> horizon;
  std::optional<std::string> release_every;
  std::optional<std::string> strategy;
  std::optional<std::string> tree_decoding;
  std::optional<std::string> buffers;
  std::optional<std::string> constraint;
  std::optional<std::string> profile;
  std::optional<std::string> releases;
  std::optional<std::string> delimiter;
  std::optional<std::string> insecure_seed;
  std::optional<std::string> model;
  std::vector<std::string> only_if;
  std::optional<std::string> unit;
  std::optional<std::string> max_rows_per_unit;
  std::optional<std::string> classes;
  LossFlags losses;
  SketchFlags sketching;
  bool whole_steps = false;
  bool next_input = false;
  std::optional<std::string> from_row;
  std::optional<std::string> seen;
  bool quiet = false;
};

void declare_fit_flags(CLI::App& app, FitFlags& flags);
// The value of --buffers. Throws RequestError.
unsigned parse_buffers(const std::string& text);
// Configuration file first, flags on top. Throws RequestError or IoError.
stream::FitConfig resolve(const FitFlags& flags);
// Only ever from the command line: no file can make a run insecure. Throws RequestError.
std::optional<std::uint64_t> resolve_insecure_seed(const FitFlags& flags);

}  // namespace rivulet::cli
