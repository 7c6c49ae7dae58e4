#include "rivulet/schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

// Halved before they are combined, so that bounds near the largest double do not overflow.
double midpoint(Interval bounds) {
  return 0.5 * bounds.lo + 0.5 * bounds.hi;
}
double half_range(Interval bounds) {
  return 0.5 * bounds.hi - 0.5 * bounds.lo;
}

constexpr double kSmallestScale = 1e-100;
constexpr std::size_t kMostBlockColumns = std::size_t{1} << 31;

void check_bounds(const std::string& name, Interval bounds) {
  const std::string field = "bound " + name;
  const std::string value = shown(bounds.lo) + ":" + shown(bounds.hi);
  if (!std::isfinite(bounds.lo) || !std::isfinite(bounds.hi)) {
    throw RequestError(field, value + " is not finite; accepted: two finite numbers lo:hi with lo < hi");
  }
  if (bounds.lo >= bounds.hi) {
    throw RequestError(field, value + " holds no range; accepted: two finite numbers lo:hi with lo < hi");
  }
  // Far inside the range of doubles, so that no scale factor overflows or loses its precision.
  if (half_range(bounds) < kSmallestScale) {
    throw RequestError(field, value + " is too narrow to scale; accepted: lo:hi at least 2e-100 apart");
  }
}

Schema::Scale scale_of(Interval bounds, bool centred) {
  if (centred) return {midpoint(bounds), half_range(bounds), bounds.lo, bounds.hi};
  return {0.0, std::max(std::abs(bounds.lo), std::abs(bounds.hi)), bounds.lo, bounds.hi};
}

// Levels that have a coordinate: with an intercept the first one is the reference.
std::size_t first_coded_level(bool has_intercept) {
  return has_intercept ? 1 : 0;
}

std::size_t coordinates_of(const Feature& feature, bool has_intercept) {
  if (const auto* block = std::get_if<Block>(&feature.domain)) return block->columns;
  const auto* levels = std::get_if<Levels>(&feature.domain);
  return levels == nullptr ? 1 : levels->names.size() - first_coded_level(has_intercept);
}

// How much the feature adds to the square of the box's norm.
std::size_t norm_share(const Feature& feature) {
  const auto* block = std::get_if<Block>(&feature.domain);
  return block == nullptr ? 1 : block->columns;
}

Schema::Scale scale_in(const Feature& feature, bool has_intercept) {
  if (const auto* bounds = std::get_if<Interval>(&feature.domain)) return scale_of(*bounds, has_intercept);
  if (const auto* block = std::get_if<Block>(&feature.domain)) return scale_of(block->bounds, false);
  return {0.0, 1.0, 0.0, 1.0};
}

// The name of one of the feature's coordinates.
std::string name_in(const Feature& feature, std::size_t coordinate, bool has_intercept) {
  if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
    return feature.name + "=" + levels->names[coordinate + first_coded_level(has_intercept)];
  }
  if (std::holds_alternative<Block>(feature.domain)) return feature.name + std::to_string(coordinate + 1);
  return feature.name;
}

// Which column of the block has this name, counted from 0.
std::optional<std::size_t> column_in(const Feature& feature, std::string_view name) {
  const auto* block = std::get_if<Block>(&feature.domain);
  if (block == nullptr || !name.starts_with(feature.name)) return std::nullopt;
  const std::string_view digits = name.substr(feature.name.size());
  std::size_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = status == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  return whole && number <= block->columns ? std::optional(number - 1) : std::nullopt;
}

// For an error message: the first twenty, because a line is read by a person.
std::string listed_names(const std::vector<Feature>& features) {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, features.size()); ++i) {
    list += (i == 0 ? "" : ", ") + features[i].name;
  }
  if (features.size() > most) list += " and " + std::to_string(features.size() - most) + " more";
  return features.empty() ? "none, the schema has no features" : list;
}

}  // namespace

void Schema::check_new_name(std::string_view name) const {
  if (name.empty()) throw RequestError("column", "\"\" is not a name; accepted: the name of a column");
  const bool is_feature = std::any_of(features_.begin(), features_.end(), [&](const Feature& feature) {
    return feature.name == name || column_in(feature, name).has_value();
  });
  if (is_feature || (has_target_ && name == target_name_)) {
    throw RequestError("column " + std::string(name),
                       "declared twice; accepted: every column once, as a feature or as the target");
  }
}

Schema& Schema::feature(std::string name, Interval bounds) {
  check_new_name(name);
  check_bounds(name, bounds);
  features_.push_back({std::move(name), bounds});
  return *this;
}

Schema& Schema::categorical(std::string name, std::vector<std::string> levels) {
  check_new_name(name);
  const std::string field = "levels " + name;
  if (levels.size() < 2) {
    throw RequestError(field, std::to_string(levels.size()) + " declared; accepted: two or more different levels");
  }
  std::vector<std::string> sorted = levels;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front().empty()) {
    throw RequestError(field, "\"\" is not a level, an empty cell is a missing value; accepted: non-empty names");
  }
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw RequestError(field, "\"" + *twice + "\" is declared twice; accepted: two or more different levels");
  }
  features_.push_back({std::move(name), Levels{std::move(levels)}});
  return *this;
}

Schema& Schema::block(std::string name, std::size_t columns, Interval bounds) {
  check_new_name(name);
  check_bounds(name, bounds);
  if (columns < 1 || columns > kMostBlockColumns) {
    throw RequestError("block " + name,
                       std::to_string(columns) + " columns; accepted: 1 to " + std::to_string(kMostBlockColumns));
  }
  if (bounds.lo > 0.0 || bounds.hi < 0.0) {
    throw RequestError("bound " + name, shown(bounds.lo) + ":" + shown(bounds.hi) +
                                            " does not hold 0, which most values of a block are; accepted: lo:hi with "
                                            "lo <= 0 <= hi");
  }
  Feature block{std::move(name), Block{columns, bounds}};
  const auto taken = [&](std::string_view other) { return column_in(block, other).has_value(); };
  const auto found =
      std::find_if(features_.begin(), features_.end(), [&](const Feature& feature) { return taken(feature.name); });
  if (found != features_.end() || (has_target_ && taken(target_name_))) {
    throw RequestError(
        "column " + (found != features_.end() ? found->name : target_name_),
        "is a column of the block " + block.name + " too; accepted: every column once, as a feature or as the target");
  }
  features_.push_back(std::move(block));
  return *this;
}

Schema& Schema::target(std::string name, Interval bounds) {
  check_new_name(name);
  if (has_target_) {
    throw RequestError(
        "target", "\"" + name + "\" would be a second target beside \"" + target_name_ + "\"; accepted: one target");
  }
  check_bounds(name, bounds);
  target_name_ = std::move(name);
  target_bounds_ = bounds;
  has_target_ = true;
  return *this;
}

Schema& Schema::classes(std::string name, double negative, double positive) {
  if (!std::isfinite(negative) || !std::isfinite(positive) || negative == positive) {
    throw RequestError("classes " + name, shown(negative) + " and " + shown(positive) +
                                              " are not two classes; accepted: two different finite numbers");
  }
  target(std::move(name), {std::min(negative, positive), std::max(negative, positive)});
  classes_ = true;
  classes_reversed_ = positive < negative;
  return *this;
}

Schema& Schema::classes(std::string name, std::string negative, std::string positive) {
  if (negative.empty() || positive.empty() || negative == positive) {
    throw RequestError("classes " + name, shown(std::string_view(negative)) + " and " +
                                              shown(std::string_view(positive)) +
                                              " are not two classes; accepted: two different words");
  }
  classes(std::move(name), 0.0, 1.0);
  class_words_ = {std::move(negative), std::move(positive)};
  return *this;
}

Schema& Schema::intercept(bool present) {
  intercept_ = present;
  return *this;
}

Schema& Schema::clip_norm(double limit) {
  if (!(limit > 0.0) || !std::isfinite(limit)) {
    throw RequestError("clip-norm", shown(limit) + " is not a norm; accepted: a positive finite number");
  }
  if (limit < kSmallestScale) {
    throw RequestError("clip-norm", shown(limit) + " is too small to scale; accepted: a number of at least 1e-100");
  }
  clip_norm_ = limit;
  return *this;
}

Schema Schema::unit_ball(std::size_t features) {
  Schema schema;
  schema.intercept(false).clip_norm(1.0);
  schema.features_.reserve(features);
  for (std::size_t i = 1; i <= features; ++i) {  // all different: no need to look
    schema.features_.push_back({std::string("x").append(std::to_string(i)), Interval{-1.0, 1.0}});
  }
  schema.target("y", {-1.0, 1.0});
  schema.validate();
  return schema;
}

void Schema::validate() const {
  if (!has_target_) throw RequestError("target", "none is declared; accepted: one numeric column with bounds");
  if (features_.empty() && !intercept_) {
    throw RequestError("features", "none is declared and there is no intercept; accepted: at least one of them");
  }
}

std::size_t Schema::dimension() const {
  std::size_t coordinates = intercept_ ? 1 : 0;
  for (const Feature& feature : features_) coordinates += coordinates_of(feature, intercept_);
  return coordinates;
}

std::vector<std::string> Schema::coordinate_names() const {
  std::vector<std::string> names;
  names.reserve(dimension());
  if (intercept_) names.emplace_back("(intercept)");
  for (const Feature& feature : features_) {
    const std::size_t coordinates = coordinates_of(feature, intercept_);
    for (std::size_t i = 0; i < coordinates; ++i) names.push_back(name_in(feature, i, intercept_));
  }
  return names;
}

const Feature& Schema::feature_of(std::size_t& value) const {
  for (const Feature& feature : features_) {
    const std::size_t coordinates = coordinates_of(feature, intercept_);
    if (value < coordinates) return feature;
    value -= coordinates;
  }
  throw RequestError("value", "the schema has " + std::to_string(row_width()) + " values");
}

std::string Schema::value_name(std::size_t value) const {
  const Feature& feature = feature_of(value);
  return name_in(feature, value, intercept_);
}

std::optional<std::size_t> Schema::value_of(std::string_view column) const {
  std::size_t first = 0;
  for (const Feature& feature : features_) {
    if (const auto inside = column_in(feature, column)) return first + *inside;
    if (std::holds_alternative<Interval>(feature.domain) && feature.name == column) return first;
    first += coordinates_of(feature, intercept_);
  }
  return std::nullopt;
}

bool Schema::has_blocks() const {
  return std::any_of(features_.begin(), features_.end(),
                     [](const Feature& feature) { return std::holds_alternative<Block>(feature.domain); });
}

double Schema::norm_limit() const {
  std::size_t contributions = left_out_ + (intercept_ ? 1 : 0);
  for (const Feature& feature : features_) contributions += norm_share(feature);
  const double box_norm = std::sqrt(static_cast<double>(contributions));
  return clip_norm_ ? std::min(*clip_norm_, box_norm) : box_norm;
}

std::vector<Schema::Scale> Schema::value_scales() const {
  std::vector<Scale> scales;
  scales.reserve(row_width());
  for (const Feature& feature : features_) {
    scales.insert(scales.end(), coordinates_of(feature, intercept_), scale_in(feature, intercept_));
  }
  return scales;
}

Schema::Scale Schema::value_scale(std::size_t value) const {
  return scale_in(feature_of(value), intercept_);
}

Schema::Scale Schema::target_scale() const {
  Scale scale = scale_of(target_bounds_, intercept_ || classes_);
  if (classes_reversed_) scale.half_range = -scale.half_range;
  return scale;
}

std::vector<bool> Schema::chosen(std::span<const std::string> names, std::string_view field) const {
  std::vector<bool> flags(features_.size(), false);
  for (const std::string& name : names) {
    const auto found =
        std::find_if(features_.begin(), features_.end(), [&](const Feature& feature) { return feature.name == name; });
    if (found == features_.end()) {
      throw RequestError(std::string(field),
                         shown(std::string_view(name)) + " is not a feature; accepted: " + listed_names(features_));
    }
    const auto position = static_cast<std::size_t>(found - features_.begin());
    if (flags[position]) {
      throw RequestError(std::string(field),
                         shown(std::string_view(name)) + " is given twice; accepted: every feature once at most");
    }
    flags[position] = true;
  }
  if (names.empty() && !intercept_) {
    throw RequestError(std::string(field),
                       "none is given and there is no intercept; accepted: at least one of " + listed_names(features_));
  }
  return flags;
}

Schema Schema::subset(std::span<const std::string> names, std::string_view field) const {
  const std::vector<bool> flags = chosen(names, field);
  Schema part = *this;
  part.features_.clear();
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (flags[i]) {
      part.features_.push_back(features_[i]);
    } else {
      part.left_out_ += norm_share(features_[i]);
    }
  }
  return part;
}

std::vector<std::size_t> Schema::subset_coordinates(std::span<const std::string> names, std::string_view field) const {
  const std::vector<bool> flags = chosen(names, field);
  std::vector<std::size_t> positions;
  std::size_t position = 0;
  if (intercept_) positions.push_back(position++);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    for (std::size_t k = coordinates_of(features_[i], intercept_); k > 0; --k, ++position) {
      if (flags[i]) positions.push_back(position);
    }
  }
  return positions;
}

}  // namespace rivulet
