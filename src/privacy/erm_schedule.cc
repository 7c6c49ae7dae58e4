#include "privacy/erm_schedule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number_text.h"
#include "base/portable_math.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

// A share has at most 16 roundings (two logarithms of 2 units each, one of them squared, and a few operations); its
// root half of their effect. 2^-46 is 64 units.
constexpr double kRoundedDown = 1.0 - 0x1p-46;
constexpr double kLargestRatio = 1e200;
constexpr std::uint64_t kMostPowerCalls = 10'000'000;

void require_calls(bool good, const std::string& field, std::uint64_t calls, const std::string& accepted) {
  if (!good) throw RequestError(field, std::to_string(calls) + " calls; accepted: " + accepted);
}

// (call / calls)^exponent, or call^exponent for negative exponents: at most about 1 either way.
double power_weight(std::uint64_t call, std::uint64_t calls, double exponent) {
  const double number = static_cast<double>(call);
  const double base = exponent > 0.0 ? number / static_cast<double>(calls) : number;
  return portable_exp(exponent * portable_log(base));
}

}  // namespace

ErmSchedule::ErmSchedule(double total_mu, std::optional<std::uint64_t> calls) : total_mu_(total_mu), calls_(calls) {
  if (!(total_mu >= 1e-100 && total_mu <= 1e100)) {
    throw RequestError(
        "epsilon", "the budget's Gaussian parameter is " + shown(total_mu) + "; accepted: between 1e-100 and 1e100");
  }
}

ErmSchedule ErmSchedule::even(double total_mu, std::uint64_t calls) {
  require_calls(calls >= 1, "calls", calls, "1 or more");
  ErmSchedule schedule(total_mu, calls);
  schedule.sum_ = static_cast<double>(calls);
  return schedule;
}

ErmSchedule ErmSchedule::power(double total_mu, std::uint64_t calls, double exponent) {
  require_calls(calls >= 1 && calls <= kMostPowerCalls, "calls", calls, "1 to 10000000 for a power schedule");
  if (!(std::abs(exponent) * portable_log(static_cast<double>(calls)) <= portable_log(kLargestRatio)) ||
      std::isinf(exponent)) {
    throw RequestError("exponent", shown(exponent) + "; accepted: a finite number such that " + std::to_string(calls) +
                                       " to its power is within 1e-200 and 1e200");
  }
  if (exponent == 0.0) return even(total_mu, calls);
  ErmSchedule schedule(total_mu, calls);
  schedule.exponent_ = exponent;
  UpperSum sum;
  for (std::uint64_t call = 1; call <= calls; ++call) sum.add_product(power_weight(call, calls, exponent), 1.0);
  schedule.sum_ = sum.rounded_up();
  return schedule;
}

ErmSchedule ErmSchedule::unbounded(double total_mu, std::uint64_t expected_calls) {
  require_calls(expected_calls >= 1, "expected-calls", expected_calls, "1 or more");
  ErmSchedule schedule(total_mu, std::nullopt);
  schedule.expected_calls_ = expected_calls;
  return schedule;
}

double ErmSchedule::share(std::uint64_t call) const {
  if (!calls_) {
    const double expected = static_cast<double>(expected_calls_);
    if (call <= expected_calls_) return 0.5 / expected;
    const double number = static_cast<double>(call);
    const double log = portable_log(number);
    return 0.5 * portable_log(expected + 0.5) / (number * log * log);
  }
  if (exponent_ != 0.0) return power_weight(call, *calls_, exponent_) / sum_;
  return 1.0 / sum_;
}

double ErmSchedule::mu(std::uint64_t call) const {
  if (call == 0) throw Error("call 0 of the budget's schedule was asked for; calls are counted from 1");
  if (calls_ && call > *calls_) {
    throw HorizonExceeded("call " + std::to_string(call) + " is past the " + std::to_string(*calls_) +
                          " calls the budget was shared out over; nothing was spent on it");
  }
  return total_mu_ * std::sqrt(share(call)) * kRoundedDown;
}

double even_part(double mu, std::uint64_t parts) {
  require_calls(parts >= 1, "parts", parts, "1 or more");
  return parts == 1 ? mu : mu / std::sqrt(static_cast<double>(parts)) * kRoundedDown;
}

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
