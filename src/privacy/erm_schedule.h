// How PrivIncERM spends its budget over the calls of its private batch solver.
//
// The paper splits (epsilon, delta) evenly over T / tau calls and adds up by advanced composition (paper_profile.h).
// Calls whose noisy sums are Gaussian add up exactly instead: if call j has parameter mu_j (calibration.h), all of them
// together, each chosen with the earlier answers in hand, are one Gaussian mechanism with parameter sqrt(sum of mu_j^2)
// (Dong, Roth & Su 2022). So a schedule is any sequence with
//   sum over j of mu_j^2 <= mu^2,   mu = gaussian_mu(budget).
// A call that makes r noisy sums shares its mu_j^2 out over them in the same way.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace rivulet::privacy {

// Immutable. Every parameter given out is rounded down, by less than a part in 10^13, so that the exact sum of the
// squares of all of them is at most total_mu^2; the same bits on every machine. Calls are counted from 1.
//
// The factories throw RequestError naming "calls", "exponent" or "expected-calls" for what makes no sense,
// "epsilon" unless 1e-100 <= total_mu <= 1e100.
class ErmSchedule {
 public:
  // The same for each of `calls` calls: mu_j^2 = mu^2 / calls.
  static ErmSchedule even(double total_mu, std::uint64_t calls);
  // mu_j^2 proportional to j^exponent: positive exponents favour late calls, which see most rows. At most 10 million
  // calls, calls^|exponent| <= 1e200. Takes time proportional to `calls` once.
  static ErmSchedule power(double total_mu, std::uint64_t calls, double exponent);
  // For ever. With N = expected_calls >= 1, a guess that costs accuracy but never privacy when wrong:
  //   mu_j^2 = mu^2 / (2 N)                            for j <= N,
  //   mu_j^2 = (mu^2 / 2) ln(N + 1/2) / (j ln^2 j)     for j > N.
  // The first N calls take half of mu^2; they are noisier than even(mu, N) by sqrt 2. The rest take at most the other
  // half: f(x) = 1 / (x ln^2 x) is convex for x > 1, being a product of the positive, decreasing and convex 1 / x and
  // 1 / ln^2 x; so f(j) is at most its mean over [j - 1/2, j + 1/2] (Hermite-Hadamard), and
  //   sum over j > N of f(j) <= integral of f over [N + 1/2, infinity) = 1 / ln(N + 1/2).
  static ErmSchedule unbounded(double total_mu, std::uint64_t expected_calls = 64);

  // mu_j. Throws HorizonExceeded past the last call; `call` is at least 1.
  [[nodiscard]] double mu(std::uint64_t call) const;
  // Absent for an unbounded schedule.
  [[nodiscard]] std::optional<std::uint64_t> calls() const { return calls_; }
  [[nodiscard]] double total_mu() const { return total_mu_; }

 private:
  ErmSchedule(double total_mu, std::optional<std::uint64_t> calls);
  // mu_j^2 / mu^2 up to rounding.
  [[nodiscard]] double share(std::uint64_t call) const;

  double total_mu_;
  std::optional<std::uint64_t> calls_;
  double exponent_ = 0.0;             // of a power schedule, 0 when even
  double sum_ = 0.0;                  // of all weights, rounded up
  std::uint64_t expected_calls_ = 0;  // of an unbounded schedule
};

// What each of `parts` equal noisy sums of a call may have: mu / sqrt(parts), rounded down. parts >= 1.
double even_part(double mu, std::uint64_t parts);

// A sum of non-negative numbers that is never below the true one, and above it by a part in 2^90 a term at most: twice
// the digits of a double, with what those lose added back.
class UpperSum {
 public:
  // Adds a * b, both non-negative. A product below 1e-270 counts as 1e-270, because the digits it loses would go
  // unseen.
  void add_product(double a, double b) {
    const double product = a * b;
    if (product < kSmallest) {
      if (a > 0.0 && b > 0.0) add(kSmallest, 0.0);
      return;
    }
    add(product, std::fma(a, b, -product));  // the two make up a * b exactly
  }

  // The two doubles that make it up, and a sum made up of two that were.
  [[nodiscard]] std::array<double, 2> parts() const { return {high_, low_}; }
  static UpperSum of(const std::array<double, 2>& parts) {
    UpperSum sum;
    sum.high_ = parts[0];
    sum.low_ = parts[1];
    return sum;
  }

  // The sum as one double, rounded up.
  [[nodiscard]] double rounded_up() const { return low_ > 0.0 ? std::nextafter(high_, HUGE_VAL) : high_; }

  // Whether the sum, as bounded from above, is at most a * b.
  [[nodiscard]] bool is_at_most_product(double a, double b) const {
    const double product = a * b;
    const double rest = std::fma(a, b, -product);
    // high_ and product are within a factor 2 of one another when it is close, so their difference is exact.
    return high_ - product <= rest - low_;
  }

 private:
  static constexpr double kSmallest = 1e-270;

  void add(double high, double low) {
    if (high_ == 0.0) {
      high_ = high;
      low_ = low;
      return;
    }
    // Knuth's sum: high + error is high_ + high exactly.
    const double sum = high_ + high;
    const double part = sum - high_;
    const double error = (high_ - (sum - part)) + (high - part);
    const double lower = error + (low_ + low);
    high_ = sum + lower;
    low_ = lower - (high_ - sum);
    low_ += high_ * 0x1p-90;
  }

  double high_ = 0.0;
  double low_ = 0.0;  // below a rounding of high_, either sign
};

// The ledger of PrivIncERM: what its noisy sums have spent of a budget, in squared Gaussian parameters.
//
// Whatever was added, in whatever order and however often, the exact sum of squares is at most total_mu^2. Charges are
// rounded up, by a part in 2^90 each: the schedules of erm_schedule.h fit to their last call, and one charge of exactly
// total_mu fits. Not thread-safe.
class ErmSpend {
 public:
  // Throws RequestError naming "epsilon" unless 1e-100 <= total_mu <= 1e100.
  explicit ErmSpend(double total_mu);

  // Charges `sums` noisy sums of parameter mu each. Throws Error, and charges nothing, when that would exceed the
  // total, or unless mu is positive and finite and 1 <= sums <= 2^53.
  void add(double mu, std::uint64_t sums = 1);
  // Whether add() would succeed.
  [[nodiscard]] bool can_add(double mu, std::uint64_t sums = 1) const;

  // What was spent, to go on from later. restore() throws Error unless it is what a ledger of the same total could
  // hold.
  [[nodiscard]] std::array<double, 2> spent() const { return spent_.parts(); }
  void restore(const std::array<double, 2>& spent);

  // sqrt of the sum of squares so far, rounded up, at most total_mu: all of it together is one Gaussian mechanism with
  // this parameter.
  [[nodiscard]] double spent_mu() const;
  // A mu that add() still takes, less than 1e-7 total_mu below the largest one; 0 when there is next to nothing left.
  [[nodiscard]] double remaining_mu() const;

 private:
  [[nodiscard]] UpperSum with(double mu, std::uint64_t sums) const;

  double total_mu_;
  UpperSum spent_;
};

}  // namespace rivulet::privacy
