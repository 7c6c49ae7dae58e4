// Every setting of `rivulet fit`, from a TOML file, from command-line flags, or from both.
//
//   target = "arr_delay"
//   features = ["dep_delay", "carrier"]
//   epsilon = 1.0
//   release-every = 100
//
//   block = "word:4000"           # columns word1 to word4000
//
//   loss = "logistic"
//   classes = ["no", "yes"]       # of the target, or [0, 1], or "no,yes"
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
#include <utility>
#include <vector>

#include "input/row_source.h"
#include "rivulet/budget.h"
#include "rivulet/schema.h"
#include "stream/loss_text.h"
#include "stream/setting_text.h"

namespace rivulet::stream {

// A field that is empty was not set; its default is the business of whoever uses it. In TOML a field is spelled like
// the command-line flag, with dashes.
struct FitConfig {
  std::optional<std::string> input;        // a path, or "-"; relative to the working directory
  std::optional<input::RowFormat> format;  // see format_of()
  std::optional<std::string> target;
  std::optional<std::vector<std::string>> features;           // in the order of the coordinates
  std::vector<std::pair<std::string, std::uint64_t>> blocks;  // names and columns; see build_schema()
  std::optional<std::uint64_t> dimension;                     // short for a block; see with_dimension()
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
  std::optional<Mechanism> mechanism;
  std::optional<SketchSize> sketch;
  std::optional<std::string> embedding;  // text for parse_embedding()
  std::optional<std::uint64_t> column_weight;
  std::optional<std::uint64_t> sketch_seed;
  std::optional<std::string> row_set;  // text for InputSet::parse()
  std::optional<std::string> loss;     // text for parse_loss()
  std::optional<ClassNames> classes;   // of the target
  std::optional<double> margin;        // of the surrogate
  std::optional<std::uint64_t> tau;    // this and the rest: of PrivIncERM
  std::optional<ErmTauRule> tau_rule;
  std::optional<ErmMethod> method;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> batches;
  std::optional<double> ridge;
  std::optional<double> late_weight;
  std::optional<bool> average;
};

// Throws IoError when the file cannot be read, else as parse_config().
FitConfig read_config(const std::string& path);
// Throws RequestError on text that is not TOML, an unknown key, a wrong type or a value that is not accepted, naming
// the key, the value, what would be accepted, `origin` and the line.
FitConfig parse_config(std::string_view text, const std::string& origin);

// Whatever `overrides` sets wins; a list replaces a list. Bounds, levels and blocks are merged by name: an override of
// bounds or levels replaces what the base says about that column, as bounds of the target and its classes do one
// another. Asking for a mechanism does away with what the base says of others, asking for a sketch with its asking for
// another mechanism, and a rule for tau with the base's tau.
FitConfig merge(FitConfig base, const FitConfig& overrides);

// Declares one more block, as --block does. Throws RequestError when it was declared before.
void add_block(FitConfig& config, const std::string& text, const std::string& field = "block");

// `dimension` written out: a block named x, and a target named y unless there is one. Throws RequestError when there is
// an x already.
FitConfig with_dimension(FitConfig config);

// As declared, else by the name of the input.
input::RowFormat format_of(const FitConfig& config);

// The features in the order of the coordinates: as listed, then the blocks that are not.
std::vector<std::string> feature_names(const FitConfig& config);

// The schema those settings declare. Throws RequestError when target or features are not set, when one of them has
// neither bounds nor levels, or when bounds or levels are declared for a column that is neither (a likely typing slip).
Schema build_schema(const FitConfig& config);

}  // namespace rivulet::stream
