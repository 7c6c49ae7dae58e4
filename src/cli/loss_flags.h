// The flags that say what a model pays for a row and which mechanism fits it: shared by `rivulet fit` and `rivulet
// plan`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "rivulet/stream_options.h"
#include "stream/config.h"

namespace rivulet::cli {

// As typed.
struct LossFlags {
  std::optional<std::string> mechanism;
  std::optional<std::string> loss;
  std::optional<std::string> margin;
  std::optional<std::string> tau;
  std::optional<std::string> tau_rule;
  std::optional<std::string> method;
  std::optional<std::string> iterations;
  std::optional<std::string> batches;
  std::optional<std::string> ridge;
  std::optional<std::string> late_weight;
  bool average = false;
  bool no_average = false;
};

void declare_mechanism_flag(CLI::App& app, LossFlags& flags, const std::string& group);
void declare_loss_flags(CLI::App& app, LossFlags& flags, const std::string& group);

// Throws RequestError.
void read_loss_flags(const LossFlags& flags, stream::FitConfig& config);

// As said, else what the other settings imply: a sketch of its size, PrivIncERM of a loss other than squared.
stream::Mechanism mechanism_of(const stream::FitConfig& config);
// The loss as parse_loss() spells it: as said, else logistic for classes and the surrogate, squared elsewhere. Throws
// RequestError.
std::string loss_of(const stream::FitConfig& config);
// Throws RequestError when loss, classes, mechanism and the settings of each contradict each other.
void check_loss(const stream::FitConfig& config);
// Loss, margin and PrivIncERM's settings of the request; the settings must have passed check_loss().
void apply_loss(const stream::FitConfig& config, StreamOptions& options);
// Settings that mean this request's mechanism, its sketch apart, and its loss.
void write_loss(const StreamOptions& options, stream::FitConfig& config);

}  // namespace rivulet::cli
