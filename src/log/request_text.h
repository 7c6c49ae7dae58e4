// A stream's request as text: what was promised and how, as it stands in a model file. Reading it back gives the same
// request, bit for bit.
#pragma once

#include <string>
#include <string_view>

#include "rivulet/incremental_regression.h"

namespace rivulet::log {

// JSON with fixed keys. The options must have their defaults filled in.
std::string request_text(const StreamOptions& options);
// Throws DamagedFile on anything request_text() would not have written: a missing, unknown or mistyped key, a value
// that is not accepted.
StreamOptions parse_request(std::string_view text, const std::string& path);

// The name of the first key in which the two differ, with both values; empty when they are the same.
std::string first_difference(const StreamOptions& stored, const StreamOptions& given);

}  // namespace rivulet::log
