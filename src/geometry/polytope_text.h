// Vertices as text: in a file, or in place.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/error.h"

namespace rivulet::geometry {

// Makes the error to throw from the fault found.
using Refuse = std::function<RequestError(const std::string& fault)>;

// One vertex a line, its numbers separated by commas or blanks; '#' begins a comment, empty lines are skipped. Row by
// row. Refuses a file that cannot be read or has more than a million numbers or 64 MB, and names the line and the field
// of a word that is not a finite number, and the line with another count of numbers than the dimension.
std::vector<double> read_vertices(const std::string& path, std::size_t dimension, const Refuse& refuse);

// "[[1,0],[0,1],[-1,-1]]", blanks allowed between the parts. Refuses in the same way, counting vertices and numbers.
std::vector<double> parse_vertices(std::string_view text, std::size_t dimension, const Refuse& refuse);

}  // namespace rivulet::geometry
