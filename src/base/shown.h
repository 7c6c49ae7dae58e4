// Values as they stand in an error message.
#pragma once

#include <string>
#include <string_view>

namespace rivulet {

// The shortest text that reads back as the same double.
std::string shown(double value);
// In quotes, with control characters replaced, cut after 60 characters: fit for one line of a terminal.
std::string shown(std::string_view text);

}  // namespace rivulet
