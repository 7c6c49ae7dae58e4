// Memory that rows pass through one after the other, which no row can use to reach the next.
#pragma once

#include <cstddef>
#include <vector>

namespace rivulet::python {

// Can be written only through renew(), which first takes away whatever is there. A reader keeps nothing else of a row
// from one row (or block of rows) to the next: `PythonRules.*` in tests/architecture looks at every member.
template <typename Value>
class RowScratch {
 public:
  // `count` values, each of them `nothing`.
  std::vector<Value>& renew(std::size_t count, const Value& nothing = Value()) {
    values_.assign(count, nothing);
    return values_;
  }
  [[nodiscard]] const std::vector<Value>& get() const { return values_; }
  [[nodiscard]] const Value* data() const { return values_.data(); }

 private:
  std::vector<Value> values_;
};

}  // namespace rivulet::python
