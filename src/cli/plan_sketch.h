// The part of `rivulet plan` that weighs sketches against each other and against the full matrix.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fit/sketch_plan.h"
#include "rivulet/stream_options.h"

namespace rivulet::cli {

// `options` have their defaults filled in; `theorem_4_2` is the paper's bound for the full matrix.
std::string sketch_table(const fit::SketchPlan& sketches, const StreamOptions& options, double theorem_4_2);
nlohmann::ordered_json sketch_json(const fit::SketchPlan& sketches, const StreamOptions& options, double theorem_4_2);
// In a sentence: what to ask for.
std::string recommendation(const fit::SketchPlan& sketches);

}  // namespace rivulet::cli
