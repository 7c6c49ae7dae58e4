#include "privacy/discreteness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet::privacy {

Charge discreteness_charge(double draws, double smallest_sigma, const Budget& budget) {
  constexpr double kDeltaShare = 1e-9;
  constexpr double kRoundUp = 1.0 + 1e-9;
  // Solve (1 + e^(epsilon + 1)) * draws * tail = share * delta for the tail, then the bound that gives it. The +1
  // covers N eta, which is checked to be far smaller by the caller's budget split.
  const double log_tail = std::log(kDeltaShare * budget.delta) - std::log(draws) - (budget.epsilon + 1.0) -
                          std::log1p(std::exp(-budget.epsilon - 1.0));
  // 2 exp(-(bound - 1/sigma)^2 / 2) = tail; the 1/sigma covers the rounding of round(G).
  const double bound = std::max(2.0, std::sqrt(2.0 * (std::log(2.0) - log_tail)) + 1.0 / smallest_sigma);
  const double eta = bound * bound / (24.0 * smallest_sigma * smallest_sigma);
  const double total_eta = draws * eta * kRoundUp;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!(total_eta < 0.5)) return {kInfinite, kInfinite, bound};
  // delta' is later taken as (budget.delta - charge.delta); e^(N eta) delta' <= delta' + (e^(N eta) - 1) delta.
  return {2.0 * total_eta, budget.delta * (kDeltaShare + std::expm1(total_eta)) * kRoundUp, bound};
}

}  // namespace rivulet::privacy
