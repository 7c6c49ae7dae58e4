#include "rivulet/row_layout.h"

#include <algorithm>
#include <limits>

#include "base/number_text.h"

namespace rivulet {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

CellFault read_number(std::string_view cell, double& number) {
  const std::string_view text = trimmed(cell);
  if (const auto parsed = parse_finite(text)) {
    number = *parsed;
    return CellFault::none;
  }
  number = kNothing;
  return means_missing(text) ? CellFault::missing : CellFault::not_a_number;
}

std::string_view unit_in(std::string_view cell) {
  const std::string_view text = trimmed(cell);
  return means_missing(text) ? std::string_view() : text;
}

LevelNames::LevelNames(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], static_cast<int>(i));
}

int LevelNames::find_exactly(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? kNoLevel : found->second;
}

int LevelNames::find(std::string_view cell) const {
  const int as_written = find_exactly(cell);
  return as_written == kNoLevel ? find_exactly(trimmed(cell)) : as_written;
}

void RowColumn::write_level(int level, double* row) const {
  std::fill_n(row + first_value, values, level == kNoLevel ? kNothing : 0.0);
  if (level >= reference_levels) row[first_value + static_cast<std::size_t>(level - reference_levels)] = 1.0;
}

CellFault RowColumn::read(std::string_view cell, double* row) const {
  if (!categorical) return read_number(cell, row[first_value]);
  const int level = levels.find(cell);
  write_level(level, row);
  if (level != kNoLevel) return CellFault::none;
  // Declared levels come first: NA is a country code as well as a missing value.
  return means_missing(trimmed(cell)) ? CellFault::missing : CellFault::unknown_level;
}

RowLayout::RowLayout(const Schema& schema, Blocks blocks) : width_(schema.row_width()) {
  std::size_t value = 0;
  const int reference = schema.has_intercept() ? 1 : 0;
  for (const Feature& feature : schema.features()) {
    if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      const std::size_t indicators = levels->names.size() - static_cast<std::size_t>(reference);
      columns_.push_back({feature.name, value, indicators, true, reference, LevelNames(levels->names)});
      value += indicators;
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      for (std::size_t i = 1; blocks == Blocks::single_columns && i <= block->columns; ++i) {
        columns_.push_back({feature.name + std::to_string(i), value + i - 1});
      }
      value += block->columns;
    } else {
      columns_.push_back({feature.name, value++});
    }
  }
  std::vector<std::string> names;
  for (const RowColumn& column : columns_) names.push_back(column.name);
  names_ = LevelNames(names);
  if (const auto& words = schema.class_words()) {
    class_words_.emplace(std::vector<std::string>{(*words)[0], (*words)[1]});
  } else if (schema.has_classes()) {
    class_numbers_ = schema.target_bounds();
  }
}

std::optional<std::size_t> RowLayout::column_named(std::string_view name) const {
  const int found = names_.find_exactly(name);
  return found == kNoLevel ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(found));
}

CellFault RowLayout::read_target(std::string_view cell, double& target) const {
  if (!class_words_) {
    const CellFault fault = read_number(cell, target);
    return fault == CellFault::none ? check_target(target) : fault;
  }
  const int place = class_words_->find(cell);
  target = place == kNoLevel ? kNothing : place;
  if (place != kNoLevel) return CellFault::none;
  return means_missing(trimmed(cell)) ? CellFault::missing : CellFault::unknown_level;
}

CellFault RowLayout::check_target(double target) const {
  const bool known = !class_numbers_ || target == class_numbers_->lo || target == class_numbers_->hi;
  return known ? CellFault::none : CellFault::unknown_level;
}

}  // namespace rivulet
