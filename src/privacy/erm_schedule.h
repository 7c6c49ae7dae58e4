// How PrivIncERM spends its budget over the calls of its private batch solver.
//
// The paper splits (epsilon, delta) evenly over T / tau calls and adds up by advanced composition (erm_paper.h). Calls
// whose noisy sums are Gaussian add up exactly instead: if call j has parameter mu_j (gaussian.h), all of them
// together, each chosen with the earlier answers in hand, are one Gaussian mechanism with parameter sqrt(sum of mu_j^2)
// (Dong, Roth & Su 2022). So a schedule is any sequence with
//   sum over j of mu_j^2 <= mu^2,   mu = gaussian_mu(budget).
// A call that makes r noisy sums shares its mu_j^2 out over them in the same way.
#pragma once

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

}  // namespace rivulet::privacy
