// The value of a cell that holds a number or a class.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rivulet/schema.h"
#include "stream/row.h"

namespace rivulet::stream {

// A number in a cell, with spaces around it or not.
RowFault read_number(std::string_view cell, double& number);

// The target as its schema declares it: a number, one of two numbers, or one of two words, which stand as 0 and 1. A
// class that is neither is a fault of the row, as an undeclared category is.
class TargetReader {
 public:
  explicit TargetReader(const Schema& schema);

  RowFault read(std::string_view cell, double& target) const;
  // Of a number that was read already.
  [[nodiscard]] RowFault check(double target) const;

 private:
  std::optional<std::array<std::string, 2>> words_;
  std::optional<Interval> classes_;
};

}  // namespace rivulet::stream
