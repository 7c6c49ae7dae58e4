#include "privacy/sensitivity.h"

#include <algorithm>
#include <cmath>

namespace rivulet::privacy {
namespace {
constexpr double kRoundUp = 1.0 + 4e-16;
}

double LatticeLimits::target_scale() const {
  return std::ldexp(static_cast<double>(target_limit), -static_cast<int>(bits));
}

double joint_sensitivity(const LatticeLimits& limits, Neighbours neighbours) {
  const double norm_squared = static_cast<double>(limits.norm_squared());
  return neighbours == Neighbours::replace ? norm_squared * std::sqrt(2.0) * kRoundUp : norm_squared;
}

double paper_pair_sensitivity(Neighbours neighbours) {
  return std::sqrt(neighbours == Neighbours::replace ? 4.5 : 2.0) * kRoundUp;
}

double target_scale_for(double diameter) {
  const double square = diameter * diameter;
  // The same root written without cancellation: 2 / (sqrt(1 + 8 diameter^2) + 1).
  const double scale_squared = 2.0 / (std::sqrt(1.0 + 8.0 * square) + 1.0);
  return std::clamp(std::sqrt(scale_squared), 0.25, 1.0);
}

}  // namespace rivulet::privacy
