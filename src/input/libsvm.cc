// Sparse rows from a libsvm (svmlight) stream, which has no header. One row a line:
//
//   label [qid:ID] index:value index:value ... [# comment]
//
// Spaces and tabs separate; '#' ends the row wherever it stands, and lines with nothing before it are no rows. Indices
// are plain digits, count from 1 and ascend strictly; values that are not given are 0. Index i is column i of the
// schema's only feature, a block, and the label is the target.
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "base/number_text.h"
#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/error.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"

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

std::size_t columns_of(const Schema& schema) {
  schema.validate();
  const auto& features = schema.features();
  const Block* block = features.size() == 1 ? std::get_if<Block>(&features.front().domain) : nullptr;
  if (block == nullptr) {
    throw RequestError("format",
                       "libsvm rows are the columns of one block, and other features are declared; accepted: one "
                       "block, e.g. --dimension 1000, or CSV");
  }
  return block->columns;
}

class LibsvmRowSource final : public RecordRows {
 public:
  // Reads nothing yet. Throws RequestError when the features are not one block, or when the target's classes, which
  // labels are to tell, are words.
  LibsvmRowSource(ByteSource& source, const Schema& schema, const RowSettings& settings = {});

 private:
  [[nodiscard]] RecordReader& reader() override { return reader_; }
  RowFault parse_record(Row& row) override;

  std::size_t columns_;  // the largest index there may be
  bool needs_target_;    // false: the label is there but may be anything
  bool needs_unit_;      // true: qid says whose row it is; else it is passed over
  RowLayout layout_;
  LineReader reader_;
};

LibsvmRowSource::LibsvmRowSource(ByteSource& source, const Schema& schema, const RowSettings& settings)
    : RecordRows(source),
      columns_(columns_of(schema)),
      needs_target_(settings.needs_target),
      needs_unit_(settings.unit_column.has_value()),
      layout_(schema, RowLayout::Blocks::by_name),
      reader_(source, settings, '#') {
  if (needs_target_ && schema.class_words()) {
    throw RequestError("classes", shown((*schema.class_words())[0]) + " and " + shown((*schema.class_words())[1]) +
                                      " are words, and the labels of libsvm rows are numbers; accepted: two numbers, "
                                      "e.g. --classes=-1,1, or CSV");
  }
  if (needs_unit_) check_unit_column(*settings.unit_column, schema);
}

// Position = index - 1. The first fault met, in this order: too long, no unit, no label, a label that is no number,
// then from left to right a word that is no index:value (malformed), a bad index, a value that is missing or no number;
// last a label that is no class. Time: linear in the line.
RowFault LibsvmRowSource::parse_record(Row& row) {
  row.sparse = true;
  row.positions.clear();
  row.values.clear();
  row.target = std::numeric_limits<double>::quiet_NaN();
  if (reader_.too_long()) return RowFault::malformed;

  Words words(reader_.line());
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
  if (needs_unit_) {
    row.unit = unit_in(unit);
    if (row.unit.empty()) return RowFault::missing_unit;
  }
  if (label.empty()) return RowFault::missing;
  if (needs_target_) {
    if (const CellFault fault = read_number(label, row.target); fault != CellFault::none) return row_fault(fault);
  }
  for (std::uint64_t last = 0; !word.empty(); word = words.next()) {
    std::uint64_t index = 0;
    std::string_view value;
    if (!read_index(word, columns_, index, value)) return RowFault::malformed;
    if (index <= last || index > columns_) return RowFault::bad_index;
    double number = 0.0;
    if (const CellFault fault = read_number(value, number); fault != CellFault::none) return row_fault(fault);
    row.positions.push_back(static_cast<std::uint32_t>(index - 1));
    row.values.push_back(number);
    last = index;
  }
  return needs_target_ ? row_fault(layout_.check_target(row.target)) : RowFault::none;
}

}  // namespace

FormatEntry libsvm_format() {
  return {
      .name = "libsvm",
      .title = "libsvm",
      .summary = "index:value pairs, for rows that are mostly zeros",
      .endings = {".svm", ".libsvm", ".svmlight"},
      .stored_as = 1,
      .needs_dimension = true,
      .only_unit = "qid",
      .open = [](ByteSource& source, const Schema& schema, const RowSettings& settings) -> std::unique_ptr<RowSource> {
        return std::make_unique<LibsvmRowSource>(source, schema, settings);
      }};
}

}  // namespace rivulet::input
