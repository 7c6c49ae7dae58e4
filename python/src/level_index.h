// Where a categorical feature's levels go in a row of supplied values.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet::python {

// A level nobody declared, or none at all: the row cannot be used.
inline constexpr int kNoLevel = -1;

class LevelIndex {
 public:
  LevelIndex() = default;
  explicit LevelIndex(const std::vector<std::string>& names);

  // The level's place in the declaration, or kNoLevel.
  [[nodiscard]] int find(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> places_;
};

// One declared column as a row of supplied values sees it.
struct ColumnPlace {
  std::string name;
  std::size_t first_value = 0;  // among the supplied values
  std::size_t values = 1;       // 1 of a number, an indicator for each level of a categorical feature but the reference
  bool categorical = false;
  int reference_levels = 0;  // 1 with an intercept: the first level has no indicator
  LevelIndex levels;

  // Writes the indicators of a level; kNoLevel makes the row one that cannot be used.
  void write_level(int level, double* row) const;
};

// In the order of the schema, blocks as their single columns.
std::vector<ColumnPlace> column_places(const Schema& schema);

}  // namespace rivulet::python
