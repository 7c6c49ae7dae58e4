// 128-bit integers, and the one multiplication the fixed-point code needs.
#pragma once

#include <cstdint>

namespace rivulet {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// A dyadic number in [0, 1/2): numerator / 2^64. Below one half, so that its numerator is non-negative as a signed
// number and a product needs one multiplication for each half of a 128-bit factor.
class Fraction {
 public:
  Fraction() = default;
  // numerator < 2^63.
  explicit constexpr Fraction(std::int64_t numerator) : numerator_(numerator) {}

  [[nodiscard]] constexpr std::int64_t numerator() const { return numerator_; }

  // floor(value * numerator / 2^64) = of_high(high half) + of_low(low half), exactly.
  [[nodiscard]] Int128 of_high(std::int64_t high) const { return static_cast<Int128>(high) * numerator_; }
  [[nodiscard]] std::uint64_t of_low(std::uint64_t low) const {
    return static_cast<std::uint64_t>((static_cast<UInt128>(low) * static_cast<std::uint64_t>(numerator_)) >> 64);
  }
  [[nodiscard]] Int128 of(Int128 value) const {
    return of_high(static_cast<std::int64_t>(value >> 64)) + of_low(static_cast<std::uint64_t>(value));
  }

 private:
  std::int64_t numerator_ = 0;
};

}  // namespace rivulet
