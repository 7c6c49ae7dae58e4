// From settings as typed to the request they mean, and back.
#pragma once

#include <cstdint>
#include <optional>

#include "rivulet/incremental_regression.h"
#include "stream/config.h"

namespace rivulet::cli {

// Throws RequestError when a setting is missing or contradicts another.
StreamOptions options_from(const stream::FitConfig& config, const std::optional<std::uint64_t>& insecure_seed);

// Settings that mean this request.
stream::FitConfig config_from(const StreamOptions& options);

// A model's settings are part of its promise: throws RequestError when what was typed says otherwise. What was not
// typed agrees.
void require_same_request(const StreamOptions& model, const stream::FitConfig& typed,
                          const std::optional<std::uint64_t>& insecure_seed);

}  // namespace rivulet::cli
