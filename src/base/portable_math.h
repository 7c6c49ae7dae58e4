// Exponential and logarithm from additions, multiplications and divisions alone. The C library's differ in the last
// digit between versions and between processors with and without fused multiply-add; a projection built on them would
// not give the same bits on every machine, and a model could not be made again from its statistics.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace rivulet {

namespace portable {

// log 2 in two parts; the first has few enough digits that its product with an exponent is exact.
inline constexpr double kLog2High = 0x1.62e42fee00000p-1;
inline constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
// What is added to this is rounded to a whole number, whose bits are the last ones.
inline constexpr double kWhole = 0x1.8p52;

// e^x = mantissa 2^k, 0.7 < mantissa < 1.5, for |x| < 1000.
struct Exponential {
  explicit Exponential(double x) {
    const double quotient = x / std::numbers::ln2 + 0.5;
    const double nearest = (quotient + kWhole) - kWhole;
    k = nearest - (nearest > quotient ? 1.0 : 0.0);  // floor
    const double low = k * kLog2Low;
    const double high = x - k * kLog2High;
    const double r = high - low;
    const double lost = (high - r) - low;
    // Taylor's series; on |r| <= 0.35 the first term left out is below 1e-18.
    constexpr double coefficients[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                       1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                       1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0};
    double tail = 0.0;
    for (const double coefficient : coefficients) tail = tail * r + coefficient;
    mantissa = 1.0 + (r + (lost + r * r * tail));
  }
  double mantissa;
  double k;
};

}  // namespace portable

// portable_exp(x) for |x| <= 700, the same bits, in a straight line: a compiler can do several at once.
inline double portable_exp_within(double x) {
  const portable::Exponential e(x);
  const auto shifted = std::bit_cast<std::uint64_t>(e.k + (portable::kWhole + 1023.0));
  return e.mantissa * std::bit_cast<double>(shifted << 52);  // by 2^k
}

// e^x. Relative error below 2 units of rounding where the result is a normal number; 0 below the range, infinite above.
double portable_exp(double x);

// log x for x >= 0, -infinity at 0. Error below 2 units of rounding of the result, also next to x = 1.
double portable_log(double x);

}  // namespace rivulet
