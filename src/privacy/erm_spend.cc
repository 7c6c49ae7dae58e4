#include "privacy/erm_spend.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::privacy {

ErmSpend::ErmSpend(double total_mu) : total_mu_(total_mu) {
  if (!(total_mu >= 1e-100 && total_mu <= 1e100)) {
    throw RequestError(
        "epsilon", "the budget's Gaussian parameter is " + shown(total_mu) + "; accepted: between 1e-100 and 1e100");
  }
}

UpperSum ErmSpend::with(double mu, std::uint64_t sums) const {
  UpperSum spent = spent_;
  if (sums == 1) {
    spent.add_product(mu, mu);
    return spent;
  }
  // sums * mu^2 = sums * square + sums * rest, where square and rest make up mu^2; the rest may be negative, and is
  // then left out.
  const double square = mu * mu;
  const double rest = std::fma(mu, mu, -square);
  const double count = static_cast<double>(sums);
  if (square < 1e-250) {
    spent.add_product(1e-250, count);
  } else {
    spent.add_product(square, count);
    if (rest > 0.0) spent.add_product(rest, count);
  }
  return spent;
}

bool ErmSpend::can_add(double mu, std::uint64_t sums) const {
  constexpr std::uint64_t kMostSums = std::uint64_t{1} << 53;
  if (!(mu > 0.0 && mu <= total_mu_) || sums == 0 || sums > kMostSums) return false;
  return with(mu, sums).is_at_most_product(total_mu_, total_mu_);
}

void ErmSpend::add(double mu, std::uint64_t sums) {
  if (!can_add(mu, sums)) {
    throw Error("a charge of " + std::to_string(sums) + " noisy sums of Gaussian parameter " + shown(mu) +
                " is refused: " + shown(spent_mu()) + " of " + shown(total_mu_) + " is spent; accepted: one of up to " +
                shown(remaining_mu()) + "; nothing was charged");
  }
  spent_ = with(mu, sums);
}

void ErmSpend::restore(const std::array<double, 2>& spent) {
  const UpperSum sum = UpperSum::of(spent);
  const bool possible = std::isfinite(spent[0]) && spent[0] >= 0.0 && std::abs(spent[1]) <= spent[0] * 0x1p-52 &&
                        sum.is_at_most_product(total_mu_, total_mu_);
  if (!possible) throw Error("what is said to be spent is not a part of this budget");
  spent_ = sum;
}

double ErmSpend::spent_mu() const {
  const double root = std::sqrt(spent_.rounded_up());
  return root == 0.0 ? 0.0 : std::min(total_mu_, std::nextafter(root, HUGE_VAL));
}

double ErmSpend::remaining_mu() const {
  const double total = total_mu_ * total_mu_;
  if (spent_.rounded_up() == 0.0) return total_mu_;
  const double left = total - spent_.rounded_up() - total * 0x1p-50;  // the roundings of all three
  if (!(left > 0.0)) return 0.0;
  const double mu = std::sqrt(left) * (1.0 - 0x1p-50);
  return can_add(mu) ? mu : 0.0;
}

}  // namespace rivulet::privacy
