// Student's t for whole degrees of freedom as a finite trigonometric series (Abramowitz and Stegun 26.7.3, 26.7.4): a
// different road to the same numbers.
#pragma once

#include <cmath>
#include <numbers>

namespace rivulet::testing {

// P(|T| > t); absolute error about 1e-15 times the degrees of freedom.
inline double two_sided_tail_by_series(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1.0;
  double sum = degrees == 1 ? 0.0 : term;
  for (int k = odd ? 2 : 1; k <= degrees - 3; k += 2) {
    term *= cosine * cosine * k / (k + 1.0);
    sum += term;
  }
  const double inside = std::sin(angle) * sum;
  return 1.0 - (odd ? 2.0 / std::numbers::pi * (angle + inside) : inside);
}

}  // namespace rivulet::testing
