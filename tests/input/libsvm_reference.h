// A slow reading of libsvm text, by regular expressions and strtod(), to compare the fast one with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "input/record_reader.h"
#include "input/row_source.h"

namespace rivulet::input::testing {

struct LibsvmRow {
  RowFault fault = RowFault::none;
  std::string unit;
  double target = 0.0;  // 0 when none was asked for
  std::vector<std::uint32_t> positions;
  std::vector<double> values;
  std::uint64_t end = 0;  // the byte after the LF or CR that ends the line, or the end of the input
  bool with_input = false;

  bool operator==(const LibsvmRow&) const = default;
};

struct LibsvmReference {
  std::size_t columns = 3;
  bool needs_target = true;
  bool needs_unit = false;
  std::size_t limit = 1000;
};

inline RowFault reference_number(const std::string& text, double& number) {
  static const std::regex kMissing("|NA|N/A|NaN|nan|null|NULL");
  static const std::regex kNumber("[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?");
  if (std::regex_match(text, kMissing)) return RowFault::missing;
  if (!std::regex_match(text, kNumber)) return RowFault::not_a_number;
  number = std::strtod(text.c_str(), nullptr);
  return std::isfinite(number) ? RowFault::none : RowFault::not_a_number;
}

inline void reference_line(const std::string& line, const LibsvmReference& wanted, LibsvmRow& row) {
  static const std::regex kWord("[^ \t]+");
  static const std::regex kPair("([0-9]+):(.*)");
  const std::string content = line.substr(0, line.find('#'));
  std::vector<std::string> words(std::sregex_token_iterator(content.begin(), content.end(), kWord), {});
  std::string label;
  if (!words.empty() && words.front().find(':') == std::string::npos) {
    label = words.front();
    words.erase(words.begin());
  }
  std::string unit;
  if (!words.empty() && words.front().substr(0, 4) == "qid:") {
    unit = words.front().substr(4);
    words.erase(words.begin());
  }
  double ignored = 0.0;
  if (wanted.needs_unit) {
    row.fault = reference_number(unit, ignored) == RowFault::missing ? RowFault::missing_unit : RowFault::none;
    if (row.fault != RowFault::none) return;
    row.unit = unit;
  }
  if (label.empty()) row.fault = RowFault::missing;
  if (row.fault == RowFault::none && wanted.needs_target) row.fault = reference_number(label, row.target);
  for (std::size_t i = 0; row.fault == RowFault::none && i < words.size(); ++i) {
    std::smatch pair;
    if (!std::regex_match(words[i], pair, kPair)) {
      row.fault = RowFault::malformed;
      break;
    }
    const double index = std::strtod(pair.str(1).c_str(), nullptr);
    const double last = row.positions.empty() ? 0.0 : row.positions.back() + 1.0;
    double value = 0.0;
    row.fault = index > last && index <= static_cast<double>(wanted.columns) ? reference_number(pair.str(2), value)
                                                                             : RowFault::bad_index;
    row.positions.push_back(static_cast<std::uint32_t>(std::clamp(index, 1.0, 1e9) - 1.0));
    row.values.push_back(value);
  }
}

inline std::vector<LibsvmRow> reference_rows(std::string_view text, const LibsvmReference& wanted = {}) {
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::vector<LibsvmRow> rows;
  for (std::size_t begin = mark; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t", begin), text.size());
    if (first < end && text[first] != '#') {
      LibsvmRow row;
      if (end - first > wanted.limit) {
        row.fault = RowFault::malformed;
      } else {
        reference_line(std::string(text.substr(first, end - first)), wanted, row);
      }
      if (row.fault != RowFault::none) {
        row.target = 0.0;
        row.positions.clear();
        row.values.clear();
      }
      row.with_input = end == text.size();
      row.end = row.with_input ? end : end + 1;
      rows.push_back(row);
    }
    begin = end + 1;
  }
  return rows;
}

inline Schema block_of(std::size_t columns) {
  Schema schema;
  return schema.block("x", columns, {-1.0, 1.0}).target("y", {-1.0, 1.0});
}

inline std::unique_ptr<RowSource> libsvm_rows(ByteSource& source, const Schema& schema, RowSettings settings = {}) {
  settings.format = parse_row_format("libsvm");
  return open_rows(source, schema, settings);
}

inline RowSettings options_for(const LibsvmReference& wanted, std::size_t block, bool track = true) {
  RowSettings options{.needs_target = wanted.needs_target, .track_position = track, .limits = {wanted.limit, block}};
  if (wanted.needs_unit) options.unit_column = "qid";
  return options;
}

// One fault more than before, and which.
inline RowFault fault_between(const OperatorTally& before, const OperatorTally& after) {
  for (const RowFault fault :
       {RowFault::none, RowFault::ragged, RowFault::malformed, RowFault::missing, RowFault::not_a_number,
        RowFault::unknown_level, RowFault::missing_unit, RowFault::bad_index}) {
    OperatorTally counted = before;
    counted.count(fault);
    if (counted == after) return fault;
  }
  throw std::runtime_error("the tally did not count one row");
}

// Every row the source still has.
inline std::vector<LibsvmRow> rows_of(RowSource& source, bool needs_target = true) {
  std::vector<LibsvmRow> rows;
  Row row;
  for (OperatorTally before = source.tally(); source.next(row); before = source.tally()) {
    LibsvmRow plain;
    plain.fault = fault_between(before, source.tally());
    plain.unit = row.unit;
    if (row.usable) {
      plain.positions = row.positions;
      plain.values = row.values;
      if (needs_target) plain.target = row.target;
    }
    plain.end = BytePosition::from(source.position()).bytes;
    plain.with_input = BytePosition::from(source.position()).mid_line;
    rows.push_back(plain);
  }
  return rows;
}

inline std::vector<LibsvmRow> fast_rows(std::string_view text, const LibsvmReference& wanted = {},
                                        std::size_t piece = 1000, std::size_t block = 16) {
  MemorySource bytes(text, piece);
  const auto source_opened = libsvm_rows(bytes, block_of(wanted.columns), options_for(wanted, block));
  RowSource& source = *source_opened;
  return rows_of(source, wanted.needs_target);
}

// What a failed comparison prints.
inline std::string shown_rows(const std::vector<LibsvmRow>& rows) {
  std::string text;
  for (const LibsvmRow& row : rows) {
    text += "[fault " + std::to_string(static_cast<int>(row.fault)) + " unit '" + row.unit + "' target " +
            std::to_string(row.target);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      text += " " + std::to_string(row.positions[i]) + ":" + std::to_string(row.values[i]);
    }
    text += " to " + std::to_string(row.end) + (row.with_input ? " mid-line]" : "]");
  }
  return text;
}

}  // namespace rivulet::input::testing
