// Settings from text, as they stand on a command line or in a configuration. Settings are public, so every error shows
// the value it refuses: RequestError names `field`, the value and what would be accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/schema.h"
#include "rivulet/sketch.h"

namespace rivulet::stream {

// Any finite number, e.g. "-2.5" or "1e-6".
double parse_number(std::string_view text, std::string_view field);
double parse_positive(std::string_view text, std::string_view field);
// 1, 2, 3, ... in plain digits.
std::uint64_t parse_positive_whole(std::string_view text, std::string_view field);
// 0, 1, 2, ... in plain digits, up to 2^64 - 1.
std::uint64_t parse_whole(std::string_view text, std::string_view field);
// "true" or "false".
bool parse_switch(std::string_view text, std::string_view field);

// "lo:hi" with lo < hi.
Interval parse_interval(std::string_view text, std::string_view field);
// "name=lo:hi", the value of --bound. A name may hold '=': the last one separates.
std::pair<std::string, Interval> parse_bound(std::string_view text, std::string_view field = "bound");
// "name=a|b|c", the value of --levels: two or more different levels; the first '=' separates.
std::pair<std::string, std::vector<std::string>> parse_levels(std::string_view text, std::string_view field = "levels");
// "name:columns", the value of --block. A name may hold ':': the last one separates.
std::pair<std::string, std::uint64_t> parse_block(std::string_view text, std::string_view field = "block");
// The parts between separators, without the blanks around each; one part at least.
std::vector<std::string> split(std::string_view text, char separator);
// "a,b,c", the value of --features.
std::vector<std::string> parse_names(std::string_view text, std::string_view field = "features");

// One character that is no quote and no line end, or "tab" or "\t".
char parse_delimiter(std::string_view text, std::string_view field = "delimiter");
TreeDecoding parse_tree_decoding(std::string_view word, std::string_view field = "tree-decoding");
std::string_view to_string(TreeDecoding decoding);

// The value of --sketch: how many dimensions, or the rule that says.
struct SketchSize {
  std::optional<std::uint64_t> dimension{};
  SketchRule rule = SketchRule::predicted_risk;

  bool operator==(const SketchSize&) const = default;
};
// A positive whole number, "auto" or "paper".
SketchSize parse_sketch_size(std::string_view text, std::string_view field = "sketch");

// The candidate a typing slip away from `word`, or nothing when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace rivulet::stream
