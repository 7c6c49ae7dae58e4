// Forward-mode automatic differentiation with a fixed number of directions: exact gradients for the BLT designer.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace rivulet::strategy {

template <std::size_t N>
struct Dual {
  double value = 0.0;
  std::array<double, N> slope{};

  Dual() = default;
  explicit Dual(double constant) : value(constant) {}

  // The variable number `index`.
  static Dual variable(double at, std::size_t index) {
    Dual result(at);
    result.slope[index] = 1.0;
    return result;
  }

  // f(x) given f and f' at x.
  [[nodiscard]] Dual chain(double function_value, double derivative) const {
    Dual result(function_value);
    for (std::size_t i = 0; i < N; ++i) result.slope[i] = derivative * slope[i];
    return result;
  }

  friend Dual combine(double value, const Dual& a, double da, const Dual& b, double db) {
    Dual result(value);
    for (std::size_t i = 0; i < N; ++i) result.slope[i] = da * a.slope[i] + db * b.slope[i];
    return result;
  }

  friend Dual operator+(const Dual& a, const Dual& b) { return combine(a.value + b.value, a, 1.0, b, 1.0); }
  friend Dual operator-(const Dual& a, const Dual& b) { return combine(a.value - b.value, a, 1.0, b, -1.0); }
  friend Dual operator-(const Dual& a) { return a.chain(-a.value, -1.0); }
  friend Dual operator*(const Dual& a, const Dual& b) { return combine(a.value * b.value, a, b.value, b, a.value); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return combine(quotient, a, 1.0 / b.value, b, -quotient / b.value);
  }
  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return a.chain(e, e);
  }
  friend Dual expm1(const Dual& a) { return a.chain(std::expm1(a.value), std::exp(a.value)); }
  friend Dual log(const Dual& a) { return a.chain(std::log(a.value), 1.0 / a.value); }
  friend Dual log1p(const Dual& a) { return a.chain(std::log1p(a.value), 1.0 / (1.0 + a.value)); }
};

}  // namespace rivulet::strategy
