// Two neighbouring streams: the rows in which they differ.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "privacy/mechanism_plan.h"

namespace rivulet::audit {

struct AuditRow {
  std::vector<double> x;
  double y = 0.0;
};

enum class PairKind {
  worst,            // moves the sums furthest: full length and, for `replace`, orthogonal as (x, s y)
  opposite_labels,  // one x of full length, y = 1 and y = -1
  orthogonal_rows,  // full length, same label
  sparse,           // along the first axis, and the second
  outside,          // the worst pair, a thousand times too long, labels too
  missing,          // a row of full length, and one with a value missing
};

std::string_view to_string(PairKind kind);

// Whether there is such a pair: `orthogonal_rows` takes two dimensions, and with `zero_out` one of the rows is zero, or
// counts as zero.
bool exists(PairKind kind, Neighbours neighbours, std::size_t dimension);

struct NeighbourPair {
  AuditRow first;
  AuditRow second;
};

// In unit-ball units, no coordinate 0 but for `sparse`: a coordinate without noise is then seen. `target_scale` is s, 0
// where sum y^2 is not released.
NeighbourPair make_pair(PairKind kind, Neighbours neighbours, std::size_t dimension, double target_scale);

// What a row counts as: clamped to [-1, 1], shortened to the unit ball, zero when a value is no number.
AuditRow bounded(const AuditRow& row);

// What a row adds to the released sums, in natural units: the moments of (x, s y) in the order of `layout`.
std::vector<double> contribution(const AuditRow& row, const privacy::ReleaseLayout& layout, double target_scale);

}  // namespace rivulet::audit
