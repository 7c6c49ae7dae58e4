// The loops that see every number of every row, compiled once for any x86-64 and once for x86-64-v3 (AVX2), chosen at
// start-up. Results are identical bit for bit: they do the same operations in the same order (no fused multiply-add) or
// only exact integer sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernel/inside.h"

namespace rivulet::kernel {

// How a supplied value becomes a lattice coordinate: trunc((clamp(x, lo, hi) - centre) * factor).
struct ValueScales {
  const double* lo;
  const double* hi;
  const double* centre;
  const double* inverse_half_range;
};

// Far above any legitimate entry (2^15), far below what would make a sum of squares overflow.
inline constexpr double kLargestEntry = 65536.0;
inline constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::max();

struct HotLoops {
  // Box units: box[i] = (clamp(values[i]) - centre[i]) * inverse_half_range[i]. Returns false when a value is not
  // finite.
  bool (*to_box)(const double* values, std::size_t count, const ValueScales& scales, double* box);
  // lattice[i] = trunc(box[i] * factor), exact integers held in doubles; returns the exact sum of their squares, or
  // kOutside when a product is not a number or beyond kLargestEntry, in which case the lattice values mean nothing.
  std::int64_t (*truncate)(const double* box, std::size_t count, double factor, double* lattice);
  // Sum of squares in a fixed order of four partial sums.
  double (*sum_of_squares)(const double* box, std::size_t count);
  // Adds the upper triangle of rows^T rows to out (order x order, column-major). `rows` holds `count` rows of `order`
  // integer-valued doubles, one after another. Exact while all rows ever added, times max|entry|^2, stay below 2^53.
  void (*rank_update)(const double* rows, std::size_t order, std::size_t count, double* out);

  // A block of kept rows, column by column (kept_rows.h): entry i of row r in columns[i * width + r].
  // out[r] = the sum over i of theta[i] * entry i, in the order of i; `width` of them, a multiple of 8.
  void (*predict)(const double* columns, std::size_t width, std::size_t count, const double* theta, double* out);
  // Integers that stand for derivatives: out[r] = trunc(derivatives[r] * factor), cut to [-limit, limit]; what is no
  // number becomes 0. limit is an integer, at most 2^30.
  void (*cut)(const double* derivatives, std::size_t width, double factor, double limit, double* out);
  // sums[i] += the sum over r of weights[r] * entry i of row r. Integer-valued doubles, exact while width
  // max|weight| max|entry| stays below 2^53.
  void (*weigh)(const double* columns, std::size_t width, std::size_t count, const double* weights, std::int64_t* sums);
};

// The best variant this processor supports.
const HotLoops& hot_loops();
// Each variant, for tests and benchmarks; v3 is null where the processor or the build lacks it.
const HotLoops& hot_loops_baseline();
const HotLoops* hot_loops_v3();

}  // namespace rivulet::kernel
