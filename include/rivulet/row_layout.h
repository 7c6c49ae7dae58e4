// Where the cells of a row go and what a cell says: one rule for every reader of rows, whatever form they come in.
//
// A reader finds cells (the fields of a CSV record, the entries of a dict, the columns of a table) and asks this for
// their meaning. Nothing here remembers a row: what is written depends on the cell and on the schema alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet {

// Why a cell cannot be used. Its row is then a zero row, and counts.
enum class CellFault { none, missing, not_a_number, unknown_level };

// The number that a text says: decimal, finite, with blanks around it or not, whatever the locale.
CellFault read_number(std::string_view cell, double& number);

// Whose row it is, by a text: without the blanks around it; empty when it says nobody (nothing at all, NA, N/A, NaN,
// nan, null, NULL). Whole numbers are units by their decimal text.
std::string_view unit_in(std::string_view cell);

// A name nobody declared, or none at all: the row cannot be used.
inline constexpr int kNoLevel = -1;

// Declared names that a cell may say: as they are written, or with blanks around them.
class LevelNames {
 public:
  LevelNames() = default;
  explicit LevelNames(const std::vector<std::string>& names);

  // The place in the declaration, or kNoLevel.
  [[nodiscard]] int find(std::string_view cell) const;
  // The same without the leave for blanks.
  [[nodiscard]] int find_exactly(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> places_;
};

// One declared column as a row of supplied values sees it.
struct RowColumn {
  std::string name;
  std::size_t first_value = 0;  // among the supplied values
  std::size_t values = 1;       // 1 of a number, an indicator for each level of a categorical feature but the reference
  bool categorical = false;
  int reference_levels = 0;  // 1 with an intercept: the first level has no indicator
  LevelNames levels{};

  // Writes the indicators of a level; of kNoLevel NaN, which makes the row one that cannot be used.
  void write_level(int level, double* row) const;
  // Writes what a text says, NaN where it cannot be used.
  CellFault read(std::string_view cell, double* row) const;
};

class RowLayout {
 public:
  // Columns of a block one by one, or left out, for rows that name what they hold of perhaps a million:
  // Schema::value_of() finds those.
  enum class Blocks { single_columns, by_name };
  explicit RowLayout(const Schema& schema, Blocks blocks = Blocks::single_columns);

  [[nodiscard]] std::size_t width() const { return width_; }
  // In the order of the schema.
  [[nodiscard]] const std::vector<RowColumn>& columns() const { return columns_; }
  // Which of columns() has this name; names are compared whole, byte for byte.
  [[nodiscard]] std::optional<std::size_t> column_named(std::string_view name) const;

  // The target as a text says it: a number, or the place of a declared class word (0 or 1).
  CellFault read_target(std::string_view cell, double& target) const;
  // Of a number that was read already: whether it is a class, where there are classes.
  [[nodiscard]] CellFault check_target(double target) const;
  // Null unless the target's classes are words.
  [[nodiscard]] const LevelNames* class_words() const { return class_words_ ? &*class_words_ : nullptr; }

 private:
  std::size_t width_;
  std::vector<RowColumn> columns_;
  LevelNames names_;
  std::optional<LevelNames> class_words_;
  std::optional<Interval> class_numbers_;
};

}  // namespace rivulet
