#include "audit/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privacy/gaussian.h"

namespace rivulet::audit {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method; converges quickly for x < (a + 1) / (a + b
// + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
  double result = d;
  for (int m = 1; m <= 200000; ++m) {
    const double k = m;
    const double even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
    d = 1.0 / nonzero(1.0 + even * d);
    c = nonzero(1.0 + even / c);
    result *= d * c;
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
    d = 1.0 / nonzero(1.0 + odd * d);
    c = nonzero(1.0 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1.0) < 1e-14) break;
  }
  return result;
}

// I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(a, b, x) / a;
  return 1.0 - std::exp(log_front) * beta_fraction(b, a, 1.0 - x) / b;
}

// P(at most k successes) for 0 <= k < n, as a tail of the beta distribution: accurate where it is small.
double at_most(double k, double n, double p) {
  return incomplete_beta(n - k, k + 1.0, 1.0 - p);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// The x with normal_cdf(x) = p, 0 < p < 1.
double normal_quantile(double p) {
  double low = -40.0;
  double high = 40.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double largest_probability(std::uint64_t successes, std::uint64_t trials, double alpha) {
  if (successes >= trials) return 1.0;
  const double k = static_cast<double>(successes);
  const double n = static_cast<double>(trials);
  double low = k / n;
  double high = 1.0;
  for (int i = 0; i < 200 && high - low > 1e-10 * high; ++i) {
    const double middle = low < 1e-3 * high ? std::sqrt(std::max(low, 1e-18) * high) : 0.5 * (low + high);
    (at_most(k, n, middle) > alpha ? low : high) = middle;
  }
  return std::min(1.0, high * (1.0 + 1e-9));
}

double epsilon_at_least(const ErrorRates& rates, double delta) {
  const auto one_way = [&](double wrong, double missed) {
    const double right = 1.0 - missed - delta;
    return right > 0.0 && wrong > 0.0 ? std::log(right / wrong) : 0.0;
  };
  return std::max({0.0, one_way(rates.false_alarm, rates.miss), one_way(rates.miss, rates.false_alarm)});
}

double mu_at_least(const ErrorRates& rates) {
  const bool says_nothing =
      rates.false_alarm <= 0.0 || rates.false_alarm >= 1.0 || rates.miss <= 0.0 || rates.miss >= 1.0;
  if (says_nothing) return 0.0;
  return std::max(0.0, -normal_quantile(rates.false_alarm) - normal_quantile(rates.miss));
}

double epsilon_of_gaussian(double mu, double delta) {
  if (mu <= 0.0 || privacy::gaussian_delta(mu, 0.0) <= delta) return 0.0;
  double low = 0.0;
  double high = 1.0;
  while (privacy::gaussian_delta(mu, high) > delta && high < 1e6) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 1e-10 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (privacy::gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return low;
}

}  // namespace rivulet::audit
