// Composite Gauss-Legendre quadrature: five nodes a panel, exact for polynomials of degree 9 on each.
#pragma once

#include <array>
#include <cstddef>

namespace rivulet::geometry {

// The integral of f over [from, from + panels * panel].
template <typename Function>
double integrate(const Function& f, double from, double panel, int panels) {
  constexpr std::array<double, 5> nodes = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                           0.9061798459386640};
  constexpr std::array<double, 5> weights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                             0.4786286704993665, 0.2369268850561891};
  double integral = 0.0;
  for (int k = 0; k < panels; ++k) {
    const double middle = from + (k + 0.5) * panel;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      integral += 0.5 * panel * weights[j] * f(middle + 0.5 * panel * nodes[j]);
    }
  }
  return integral;
}

}  // namespace rivulet::geometry
