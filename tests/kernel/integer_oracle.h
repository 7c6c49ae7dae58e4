// A slow, exact sampler of the discrete Gaussian for small integer sigma: rejection from the discrete Laplace by
// Bernoulli(exp(-x)) trials in pure integer arithmetic (the method of Canonne, Kamath & Steinke 2020). Shares nothing
// with the product's sampler.
#pragma once

#include <cstdint>
#include <random>

namespace rivulet::testing {

class IntegerOracle {
 public:
  IntegerOracle(std::int64_t sigma, std::uint64_t seed) : sigma_(sigma), random_(seed) {}

  std::int64_t sample() {
    const std::int64_t t = sigma_ + 1;
    while (true) {
      const std::int64_t y = laplace(t);
      // Accept with probability exp(-(|y| - sigma^2/t)^2 / (2 sigma^2)) = exp(-(|y| t - sigma^2)^2 / (2 sigma^2 t^2)).
      const std::int64_t distance = (y < 0 ? -y : y) * t - sigma_ * sigma_;
      if (bernoulli_exp(distance * distance, 2 * sigma_ * sigma_ * t * t)) return y;
    }
  }

 private:
  std::int64_t below(std::int64_t range) { return std::uniform_int_distribution<std::int64_t>(0, range - 1)(random_); }

  // Bernoulli(exp(-numerator/denominator)).
  bool bernoulli_exp(std::int64_t numerator, std::int64_t denominator) {
    while (numerator > denominator) {
      if (!bernoulli_exp_unit(1, 1)) return false;
      numerator -= denominator;
    }
    return bernoulli_exp_unit(numerator, denominator);
  }
  bool bernoulli_exp_unit(std::int64_t numerator, std::int64_t denominator) {
    std::int64_t k = 1;
    while (below(denominator * k) < numerator) ++k;
    return k % 2 == 1;
  }

  // Discrete Laplace with scale t.
  std::int64_t laplace(std::int64_t t) {
    while (true) {
      const std::int64_t u = below(t);
      if (!bernoulli_exp(u, t)) continue;
      std::int64_t v = 0;
      while (bernoulli_exp_unit(1, 1)) ++v;
      const std::int64_t magnitude = u + t * v;
      const bool negative = below(2) == 1;
      if (negative && magnitude == 0) continue;
      return negative ? -magnitude : magnitude;
    }
  }

  std::int64_t sigma_;
  std::mt19937_64 random_;
};

}  // namespace rivulet::testing
