#include "strategy/sqrt_toeplitz.h"

#include <cmath>
#include <numbers>

namespace rivulet::strategy {

double sqrt_toeplitz_stddev(std::uint64_t steps) {
  constexpr std::uint64_t kDirectSum = 4096;
  if (steps <= kDirectSum) {
    double sum = 0.0;
    double c = 1.0;
    for (std::uint64_t i = 0; i < steps; ++i) {
      sum += c * c;
      c *= (2.0 * static_cast<double>(i) + 1.0) / (2.0 * static_cast<double>(i) + 2.0);
    }
    return sum;
  }
  // Watson's expansion of the Landau constants in n - 1/4; the next term is of order n^-4.
  const double shifted = static_cast<double>(steps) - 0.25;
  return (std::log(shifted) + std::numbers::egamma + 4.0 * std::numbers::ln2 + 11.0 / (192.0 * shifted * shifted)) /
         std::numbers::pi;
}

}  // namespace rivulet::strategy
