// What was decided for a stream's mechanism, as it stands in a model file.
#pragma once

#include <string>
#include <string_view>

#include "fit/stream_plan.h"
#include "rivulet/stream_options.h"

namespace rivulet::log {

std::string decisions_bytes(const fit::StreamDecisions& decisions);
// What was decided for that request. Throws DamagedFile.
fit::StreamDecisions parse_decisions(std::string_view bytes, const StreamOptions& request, const std::string& path);

}  // namespace rivulet::log
