// Checks on text before the TOML parser sees it. toml11 3.7 reads out of bounds on text that is not UTF-8 and recurses
// into nested values and dotted keys without a limit, so both are refused here.
#pragma once

#include <string>
#include <string_view>

namespace rivulet::stream {

// Throws RequestError naming `origin` and the line: not UTF-8, a control character, or nested more than 64 deep.
// Brackets and dots inside quotes count too; no honest configuration comes near.
void check_before_parsing(std::string_view text, const std::string& origin);

}  // namespace rivulet::stream
