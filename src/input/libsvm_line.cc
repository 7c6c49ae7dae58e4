#include "input/libsvm_line.h"

#include <cstdint>
#include <limits>

#include "rivulet/row_layout.h"

namespace rivulet::input {
namespace {

constexpr std::string_view kUnitMark = "qid:";

// The words of a line, up to its comment.
class Words {
 public:
  explicit Words(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  // Empty when there are no more.
  std::string_view next() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    const char* const begin = at_;
    while (at_ != end_ && !is_blank(*at_) && *at_ != '#') ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

 private:
  static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

  const char* at_;
  const char* end_;
};

// Splits "index:value". An index above `most` may be read as another above it.
bool read_index(std::string_view word, std::uint64_t most, std::uint64_t& index, std::string_view& value) {
  index = 0;
  std::size_t at = 0;
  for (; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at) {
    index = index > most ? index : 10 * index + static_cast<std::uint64_t>(word[at] - '0');
  }
  if (at == 0 || at == word.size() || word[at] != ':') return false;
  value = word.substr(at + 1);
  return true;
}

}  // namespace

RowFault parse_libsvm_line(std::string_view line, const LibsvmGrammar& grammar, Row& row) {
  row.sparse = true;
  row.positions.clear();
  row.values.clear();
  row.target = std::numeric_limits<double>::quiet_NaN();

  Words words(line);
  std::string_view word = words.next();
  std::string_view label;  // empty when the row begins with something else
  if (word.find(':') == std::string_view::npos) {
    label = word;
    word = words.next();
  }
  std::string_view unit;
  if (word.starts_with(kUnitMark)) {
    unit = word.substr(kUnitMark.size());
    word = words.next();
  }
  if (grammar.needs_unit) {
    row.unit = unit_in(unit);
    if (row.unit.empty()) return RowFault::missing_unit;
  }
  if (label.empty()) return RowFault::missing;
  if (grammar.needs_target) {
    if (const CellFault fault = read_number(label, row.target); fault != CellFault::none) return row_fault(fault);
  }
  for (std::uint64_t last = 0; !word.empty(); word = words.next()) {
    std::uint64_t index = 0;
    std::string_view value;
    if (!read_index(word, grammar.columns, index, value)) return RowFault::malformed;
    if (index <= last || index > grammar.columns) return RowFault::bad_index;
    double number = 0.0;
    if (const CellFault fault = read_number(value, number); fault != CellFault::none) return row_fault(fault);
    row.positions.push_back(static_cast<std::uint32_t>(index - 1));
    row.values.push_back(number);
    last = index;
  }
  return RowFault::none;
}

}  // namespace rivulet::input
