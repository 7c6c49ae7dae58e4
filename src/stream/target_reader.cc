#include "stream/target_reader.h"

#include "stream/number_text.h"

namespace rivulet::stream {

RowFault read_number(std::string_view cell, double& number) {
  const std::string_view text = trimmed(cell);
  if (const auto parsed = parse_finite(text)) {
    number = *parsed;
    return RowFault::none;
  }
  return means_missing(text) ? RowFault::missing : RowFault::not_a_number;
}

TargetReader::TargetReader(const Schema& schema) : words_(schema.class_words()) {
  if (schema.has_classes()) classes_ = schema.target_bounds();
}

RowFault TargetReader::read(std::string_view cell, double& target) const {
  if (!words_) {
    const RowFault fault = read_number(cell, target);
    return fault == RowFault::none ? check(target) : fault;
  }
  for (const std::string_view text : {cell, trimmed(cell)}) {
    for (std::size_t i = 0; i < words_->size(); ++i) {
      if (text != (*words_)[i]) continue;
      target = static_cast<double>(i);
      return RowFault::none;
    }
  }
  // Declared words come first, as with categories: "null" may be a class.
  return means_missing(trimmed(cell)) ? RowFault::missing : RowFault::unknown_level;
}

RowFault TargetReader::check(double target) const {
  const bool known = !classes_ || target == classes_->lo || target == classes_->hi;
  return known ? RowFault::none : RowFault::unknown_level;
}

}  // namespace rivulet::stream
