// The flags that say how rows of high dimension are handled: shared by `rivulet fit` and `rivulet plan`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "rivulet/stream_options.h"
#include "stream/config.h"

namespace rivulet::cli {

// As typed.
struct SketchFlags {
  std::optional<std::string> sketch;
  std::optional<std::string> embedding;
  std::optional<std::string> column_weight;
  std::optional<std::string> seed;
  std::optional<std::string> row_set;
};

// Those that decide how good a model will be, and the others, which a plan does not depend on.
void declare_sketch_flags(CLI::App& app, SketchFlags& flags, const std::string& group);
void declare_embedding_flags(CLI::App& app, SketchFlags& flags, const std::string& group);

// Throws RequestError.
void read_sketch_flags(const SketchFlags& flags, stream::FitConfig& config);

// What the settings ask for; nothing for the full matrix. Throws RequestError when they contradict each other.
std::optional<Sketch> sketch_from(const stream::FitConfig& config);
// Throws RequestError naming `field` when the full matrix would have more rows than the mechanism allows.
void require_room(const StreamOptions& options, const char* field);
// Settings that mean this sketch.
void write_sketch(const std::optional<Sketch>& sketch, stream::FitConfig& config);

}  // namespace rivulet::cli
