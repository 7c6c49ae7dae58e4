// Settings from a configuration file (TOML), spelled as the flags of `rivulet fit`:
//
//   target = "arr_delay"
//   features = ["dep_delay", "carrier"]
//   epsilon = 1.0
//   release-every = 100
//   block = "word:4000"           # columns word1 to word4000
//   classes = ["no", "yes"]       # of the target, or [0, 1], or "no,yes"
//
//   [bounds]
//   dep_delay = [-60, 180]        # or "-60:180"
//
//   [levels]
//   carrier = ["AA", "UA", "DL"]
#pragma once

#include <string>
#include <string_view>

#include "request/settings.h"

namespace rivulet::request {

// Throws IoError when the file cannot be read, else as parse_toml_settings().
Settings read_toml_file(const std::string& path);
// Throws RequestError on text that is not TOML, an unknown key, a wrong type or a value that is not accepted, naming
// the key, the value, what would be accepted, `origin` and the line.
Settings parse_toml_settings(std::string_view text, const std::string& origin);

}  // namespace rivulet::request
