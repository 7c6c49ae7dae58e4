// Every setting of `rivulet fit`, from a TOML file, from command-line flags, or from both.
//
//   target = "arr_delay"
//   features = ["dep_delay", "carrier"]
//   epsilon = 1.0
//   release-every = 100
//
//   [bounds]
//   dep_delay = [-60, 180]        # or "-60:180"
//   arr_delay = [-60, 180]
//
//   [levels]
//   carrier = ["AA", "UA", "DL"]
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/schema.h"

namespace rivulet::stream {

// A field that is empty was not set; its default is the business of whoever uses it. In TOML a field is spelled like
// the command-line flag, with dashes.
struct FitConfig {
  std::optional<std::string> input;  // a path, or "-"; relative to the working directory
  std::optional<std::string> target;
  std::optional<std::vector<std::string>> features;  // in the order of the coordinates
  std::map<std::string, Interval> bounds;
  std::map<std::string, std::vector<std::string>> levels;
  std::optional<bool> intercept;
  std::optional<double> clip_norm;  // box units
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<Neighbours> neighbours;
  std::optional<Horizon> horizon;
  std::optional<std::uint64_t> release_every;  // rows
  std::optional<StrategyKind> strategy;
  std::optional<TreeDecoding> tree_decoding;
  std::optional<std::uint64_t> buffers;   // of the blt strategy
  std::optional<std::string> constraint;  // text for parse_constraint()
  std::optional<Profile> profile;
  std::optional<std::string> releases;  // a path
  std::optional<char> delimiter;
  std::optional<std::string> model;  // a path
  std::vector<std::string> only_if;  // conditions on rows as text, e.g. "nonzeros<=5", "age=18:65"
  std::optional<std::string> unit;   // the column that says whose row it is
  std::optional<std::uint64_t> max_rows_per_unit;
  std::optional<bool> whole_steps;
};

// Throws IoError when the file cannot be read, else as parse_config().
FitConfig read_config(const std::string& path);
// Throws RequestError on text that is not TOML, an unknown key, a wrong type or a value that is not accepted, naming
// the key, the value, what would be accepted, `origin` and the line.
FitConfig parse_config(std::string_view text, const std::string& origin);

// Whatever `overrides` sets wins; a list replaces a list. Bounds and levels are merged column by column: an override of
// either kind replaces what the base says about that column.
FitConfig merge(FitConfig base, const FitConfig& overrides);

// The schema those settings declare. Throws RequestError when target or features are not set, when one of them has
// neither bounds nor levels, or when bounds or levels are declared for a column that is neither (a likely typing slip).
Schema build_schema(const FitConfig& config);

}  // namespace rivulet::stream
