// Numbers and texts: read, and as they stand in an error message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rivulet {


// Numbers and words from text: the same reading of a number for a cell of a row and for a setting.

// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// A whole finite decimal number, nearest double, with an optional sign; independent of the locale. A number too small
// for a double reads as 0. Nothing for anything else: other text around it, "inf", "nan", hexadecimal, beyond the
// largest double.
std::optional<double> parse_finite(std::string_view text);

// True for the usual ways to write that a value is missing: nothing at all, NA, N/A, NaN, nan, null, NULL.
bool means_missing(std::string_view text);


// Values as they stand in an error message.

// The shortest text that reads back as the same double.
std::string shown(double value);
// In quotes, with control characters replaced, cut after 60 characters: fit for one line of a terminal.
std::string shown(std::string_view text);

}  // namespace rivulet
