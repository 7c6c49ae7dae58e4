// The set G of the paper's Section 5.2: rows one is willing to fit to. A row outside becomes the zero row, inside the
// wall and without a trace, so membership costs no privacy; it still counts as a row.
//
//   nonzeros<=K       at most K of the supplied values are not 0 (the user's units; an indicator of a category is a
//   value) l1<=R             the supplied values in box units (schema.h), clamped to their bounds, have absolute values
//   that sum to
//                     R or less
//   COLUMN=LO:HI      a numeric feature or the target lies within [LO, HI], in the user's units, before clamping
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet {

// What a row must satisfy to be used. Several conditions all have to hold.
class Domain {
 public:
  struct Condition {
    enum class Kind { nonzeros, l1_norm, value, target };
    Kind kind = Kind::nonzeros;
    std::size_t value = 0;  // which of the supplied values; only for Kind::value
    double lo = 0.0;
    double hi = 0.0;  // the limit K or R of the first two kinds
  };

  // Everything is inside.
  Domain() = default;
  // Throws RequestError naming "only-if", the text and what would be accepted.
  Domain(const std::vector<std::string>& conditions, const Schema& schema);

  [[nodiscard]] bool is_everything() const { return conditions_.empty(); }
  [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }

 private:
  std::vector<Condition> conditions_;
};

}  // namespace rivulet
