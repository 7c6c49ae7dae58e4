// 128-bit integers, and the one multiplication the fixed-point code needs.
#pragma once

#include <cstdint>

namespace rivulet {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// floor(value * fraction / 2^64) for 0 <= fraction < 2^64: multiplication by a dyadic number in [0, 1).
// Exact for every value; the result never overflows because its magnitude is at most |value| + 1.
inline Int128 multiply_fraction(Int128 value, std::uint64_t fraction) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  const UInt128 low_part = (static_cast<UInt128>(low) * fraction) >> 64;
  return static_cast<Int128>(high) * fraction + static_cast<Int128>(low_part);
}

}  // namespace rivulet
