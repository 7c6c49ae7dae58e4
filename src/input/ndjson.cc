// Rows from newline-delimited JSON: one object a line (RFC 8259), names to values.
//
//   {"age": 41, "region": "north", "spend": 120.5, "person": 9007199254740993}
//
// Names that are not declared are passed over, names that are not there are missing values; the columns NAME1, NAME2,
// ... of a block are 0 where they are not there: as of a dict in Python. A number is a number, a text is what the same
// text is in a CSV cell, null is missing, arrays and objects cannot be used. Nor can true and false: the words are no
// numbers in CSV either (Python's True is 1). A whole number is a category, a class word or a unit by its decimal
// digits.
//
// A line that is no such object, or names a declared column twice, is a row that cannot be used. Every line but those
// of blanks is one row, whatever it says.
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"

namespace rivulet::input {
namespace {

namespace json = simdjson::ondemand;

// Arrays and objects inside of one another: more is no row.
constexpr int kDeepest = 128;

enum class CellKind { absent, null, truth, number, text, nested };

// A value of the line under way. `text` is the text itself, without its escapes, or the number as it is written.
struct Cell {
  CellKind kind = CellKind::absent;
  std::string_view text{};
};

// As RFC 8259 has it: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  const auto take = [&](std::string_view any) {
    const bool found = at < text.size() && any.find(text[at]) != std::string_view::npos;
    at += found ? 1 : 0;
    return found;
  };
  take("-");
  const bool leading_zero = at < text.size() && text[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// The decimal digits of a whole number, by its value; nothing for a number with a fraction or an exponent.
std::optional<std::string_view> whole_text(std::string_view number) {
  if (number.find_first_of(".eE") != std::string_view::npos) return std::nullopt;
  return number == "-0" ? "0" : number;
}

// An escape can name half of a character, which UTF-8 has no bytes for.
bool has_lone_surrogate(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '\xED' && static_cast<unsigned char>(text[i + 1]) >= 0xA0) return true;
  }
  return false;
}

// Reads a value and everything in it, needed or not: a line is JSON as a whole or not at all. False when it is not.
bool read_value(json::value value, Cell& cell, int depth) {
  std::string_view token = value.raw_json_token();
  const std::size_t end = token.find_last_not_of(" \t");
  token = token.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (token.empty() || depth > kDeepest) return false;
  Cell inner;
  switch (token.front()) {
    case '"':
      cell.kind = CellKind::text;
      return value.get_string().get(cell.text) == simdjson::SUCCESS && !has_lone_surrogate(cell.text);
    case '{': {
      cell.kind = CellKind::nested;
      json::object object;
      if (value.get_object().get(object) != simdjson::SUCCESS) return false;
      for (auto entry : object) {
        json::field field;
        std::string_view key;
        if (std::move(entry).get(field) != simdjson::SUCCESS || field.unescaped_key().get(key) != simdjson::SUCCESS ||
            has_lone_surrogate(key) || !read_value(field.value(), inner, depth + 1)) {
          return false;
        }
      }
      return true;
    }
    case '[': {
      cell.kind = CellKind::nested;
      json::array array;
      if (value.get_array().get(array) != simdjson::SUCCESS) return false;
      for (auto entry : array) {
        json::value element;
        if (std::move(entry).get(element) != simdjson::SUCCESS || !read_value(element, inner, depth + 1)) return false;
      }
      return true;
    }
    case 't':
    case 'f':
      cell.kind = CellKind::truth;
      return token == "true" || token == "false";
    case 'n':
      cell.kind = CellKind::null;
      return token == "null";
    default:
      cell = {CellKind::number, token};
      return is_number(token);
  }
}

class NdjsonRows final : public RecordRows {
 public:
  // Reads nothing yet. Throws RequestError when the unit column is declared as something else.
  NdjsonRows(ByteSource& source, const Schema& schema, const RowSettings& settings)
      : RecordRows(source),
        schema_((schema.validate(), schema)),
        layout_(schema_, schema_.has_blocks() ? RowLayout::Blocks::by_name : RowLayout::Blocks::single_columns),
        needs_target_(settings.needs_target),
        unit_column_(settings.unit_column),
        reader_(source, settings) {
    if (unit_column_) check_unit_column(*unit_column_, schema_);
  }

 private:
  [[nodiscard]] RecordReader& reader() override { return reader_; }

  RowFault parse_record(Row& row) override {
    row.sparse = schema_.has_blocks();
    row.positions.clear();
    row.values.assign(row.sparse ? 0 : layout_.width(), std::numeric_limits<double>::quiet_NaN());
    row.target = std::numeric_limits<double>::quiet_NaN();
    cells_.assign(layout_.columns().size(), Cell{});
    entries_.clear();
    target_ = unit_ = Cell{};
    if (reader_.too_long() || !read_line()) return RowFault::malformed;
    if (unit_column_) {
      if (unit_.kind == CellKind::text) row.unit = unit_in(unit_.text);
      if (unit_.kind == CellKind::number) row.unit = whole_text(unit_.text).value_or("");
      if (row.unit.empty()) return RowFault::missing_unit;
    }
    if (const RowFault fault = row.sparse ? fill_sparse(row) : fill_dense(row); fault != RowFault::none) return fault;
    return needs_target_ ? row_fault(read_target(row.target)) : RowFault::none;
  }

  // Finds the cells of the line. False when it is no object, or says one thing twice.
  bool read_line() {
    // What stands behind the line in the reader's buffer is another row.
    padded_.assign(reader_.line()).append(simdjson::SIMDJSON_PADDING, '\0');
    json::document document;
    json::object object;
    const std::size_t length = reader_.line().size();
    if (parser_.iterate(simdjson::padded_string_view(padded_.data(), length, padded_.size())).get(document) !=
            simdjson::SUCCESS ||
        document.get_object().get(object) != simdjson::SUCCESS) {
      return false;
    }
    bool twice = false;
    for (auto entry : object) {
      json::field field;
      std::string_view key;
      if (std::move(entry).get(field) != simdjson::SUCCESS || field.unescaped_key().get(key) != simdjson::SUCCESS ||
          has_lone_surrogate(key)) {
        return false;
      }
      Cell ignored;
      Cell* const cell = cell_named(key);
      twice = twice || (cell != nullptr && cell->kind != CellKind::absent);
      if (!read_value(field.value(), cell == nullptr ? ignored : *cell, 1)) return false;
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return false;  // something behind the object
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
    return !twice && std::adjacent_find(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
                       return a.first == b.first;
                     }) == entries_.end();
  }

  // Where the value of a name goes; null where nobody asks for it.
  Cell* cell_named(std::string_view key) {
    if (const auto column = layout_.column_named(key)) return &cells_[*column];
    if (key == schema_.target_name()) return needs_target_ ? &target_ : nullptr;
    if (unit_column_ && key == *unit_column_) return &unit_;
    if (!schema_.has_blocks()) return nullptr;
    const auto place = schema_.value_of(key);
    return place ? &entries_.emplace_back(static_cast<std::uint32_t>(*place), Cell{}).second : nullptr;
  }

  static CellFault read_as_number(const Cell& cell, double& number) {
    if (cell.kind == CellKind::absent || cell.kind == CellKind::null) return CellFault::missing;
    if (cell.kind == CellKind::number || cell.kind == CellKind::text) return read_number(cell.text, number);
    return CellFault::not_a_number;
  }

  static CellFault read_as_level(const Cell& cell, const LevelNames& levels, int& level) {
    if (cell.kind == CellKind::absent || cell.kind == CellKind::null) return CellFault::missing;
    level = kNoLevel;
    if (cell.kind == CellKind::text) level = levels.find(cell.text);
    if (cell.kind == CellKind::number) {
      if (const auto whole = whole_text(cell.text)) level = levels.find(*whole);
    }
    if (level != kNoLevel) return CellFault::none;
    // Declared levels come first: NA is a country code as well as a missing value.
    return cell.kind == CellKind::text && unit_in(cell.text).empty() ? CellFault::missing : CellFault::unknown_level;
  }

  CellFault read_target(double& target) const {
    if (layout_.class_words() == nullptr) {
      const CellFault fault = read_as_number(target_, target);
      return fault == CellFault::none ? layout_.check_target(target) : fault;
    }
    int place = kNoLevel;
    const CellFault fault = read_as_level(target_, *layout_.class_words(), place);
    if (fault == CellFault::none) target = place;
    return fault;
  }

  RowFault fill_dense(Row& row) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const RowColumn& column = layout_.columns()[i];
      int level = kNoLevel;
      const CellFault fault = column.categorical ? read_as_level(cells_[i], column.levels, level)
                                                 : read_as_number(cells_[i], row.values[column.first_value]);
      if (fault != CellFault::none) return row_fault(fault);
      if (column.categorical) column.write_level(level, row.values.data());
    }
    return RowFault::none;
  }

  // The columns of blocks that were named, and every other column.
  RowFault fill_sparse(Row& row) {
    std::vector<std::pair<std::uint32_t, double>> found;
    double number = 0.0;
    for (const Entry& entry : entries_) {
      if (const CellFault fault = read_as_number(entry.second, number); fault != CellFault::none) {
        return row_fault(fault);
      }
      found.emplace_back(entry.first, number);
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const RowColumn& column = layout_.columns()[i];
      std::size_t place = column.first_value;
      int level = kNoLevel;
      const CellFault fault =
          column.categorical ? read_as_level(cells_[i], column.levels, level) : read_as_number(cells_[i], number);
      if (fault != CellFault::none) return row_fault(fault);
      if (column.categorical) {
        if (level < column.reference_levels) continue;
        place += static_cast<std::size_t>(level - column.reference_levels);
        number = 1.0;
      }
      found.emplace_back(static_cast<std::uint32_t>(place), number);
    }
    std::sort(found.begin(), found.end());
    for (const auto& [place, value] : found) {
      row.positions.push_back(place);
      row.values.push_back(value);
    }
    return RowFault::none;
  }

  using Entry = std::pair<std::uint32_t, Cell>;

  Schema schema_;
  RowLayout layout_;
  bool needs_target_;
  std::optional<std::string> unit_column_;
  LineReader reader_;
  json::parser parser_;
  // Of the line under way; emptied before each.
  std::string padded_;
  std::vector<Cell> cells_;     // of the layout's columns
  std::vector<Entry> entries_;  // of the columns of blocks, by their place among the supplied values
  Cell target_;
  Cell unit_;
};

}  // namespace

FormatEntry ndjson_format() {
  return {
      .name = "ndjson",
      .title = "NDJSON",
      .summary = "a JSON object a line, by the names of columns",
      .endings = {".ndjson", ".jsonl"},
      .stored_as = 2,
      .open = [](ByteSource& source, const Schema& schema, const RowSettings& settings) -> std::unique_ptr<RowSource> {
        return std::make_unique<NdjsonRows>(source, schema, settings);
      }};
}

}  // namespace rivulet::input
