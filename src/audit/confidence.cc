#include "audit/confidence.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "privacy/gaussian.h"

namespace rivulet::audit {

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
  return std::max(0.0, -standard_normal_quantile(rates.false_alarm) - standard_normal_quantile(rates.miss));
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
