#include "level_index.h"

#include <algorithm>
#include <limits>

namespace rivulet::python {

LevelIndex::LevelIndex(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], static_cast<int>(i));
}

int LevelIndex::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? kNoLevel : found->second;
}

void ColumnPlace::write_level(int level, double* row) const {
  const double background = level == kNoLevel ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  std::fill_n(row + first_value, values, background);
  if (level >= reference_levels) row[first_value + static_cast<std::size_t>(level - reference_levels)] = 1.0;
}

std::vector<ColumnPlace> column_places(const Schema& schema) {
  std::vector<ColumnPlace> places;
  std::size_t value = 0;
  const int reference = schema.has_intercept() ? 1 : 0;
  for (const Feature& feature : schema.features()) {
    if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      const std::size_t width = levels->names.size() - static_cast<std::size_t>(reference);
      places.push_back({feature.name, value, width, true, reference, LevelIndex(levels->names)});
      value += width;
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      for (std::size_t i = 1; i <= block->columns; ++i) {
        places.push_back({feature.name + std::to_string(i), value++, 1, false, 0, {}});
      }
    } else {
      places.push_back({feature.name, value++, 1, false, 0, {}});
    }
  }
  return places;
}

}  // namespace rivulet::python
