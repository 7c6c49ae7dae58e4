// Schedules and the ledger against sums computed independently, in more digits.
#include "privacy/erm_schedule.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "privacy/calibration.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet::privacy {
namespace {

using testing::refusal;

const double kMu = gaussian_mu({1.0, 1e-6});

// A sum of squares to 200 bits: exact for all purposes here.
class ExactSquares {
 public:
  ExactSquares() {
    mpfr_inits2(200, sum_, term_, nullptr);
    mpfr_set_zero(sum_, 1);
  }
  ExactSquares(const ExactSquares&) = delete;
  ExactSquares& operator=(const ExactSquares&) = delete;
  ~ExactSquares() { mpfr_clears(sum_, term_, nullptr); }

  void add(double mu) {
    mpfr_set_d(term_, mu, MPFR_RNDN);
    mpfr_sqr(term_, term_, MPFR_RNDN);
    mpfr_add(sum_, sum_, term_, MPFR_RNDU);
  }
  // sum / total^2 - 1
  double excess(double total) {
    mpfr_t square;
    mpfr_init2(square, 200);
    mpfr_set_d(square, total, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN);
    mpfr_sub(term_, sum_, square, MPFR_RNDU);
    mpfr_div(term_, term_, square, MPFR_RNDU);
    const double result = mpfr_get_d(term_, MPFR_RNDU);
    mpfr_clear(square);
    return result;
  }

 private:
  mpfr_t sum_, term_;
};

// Of all calls of a schedule that ends; the ledger takes every one of them and no further call like the last.
void expect_spends_all(const ErmSchedule& schedule, const std::string& what) {
  ExactSquares squares;
  ErmSpend spend(schedule.total_mu());
  for (std::uint64_t call = 1; call <= *schedule.calls(); ++call) {
    squares.add(schedule.mu(call));
    ASSERT_NO_THROW(spend.add(schedule.mu(call))) << what << " " << call;
  }
  EXPECT_LE(squares.excess(schedule.total_mu()), 0.0) << what;
  EXPECT_GE(squares.excess(schedule.total_mu()), -1e-12) << what;
  EXPECT_THROW(spend.add(1e-5 * schedule.total_mu()), Error) << what;
  EXPECT_THROW((void)schedule.mu(*schedule.calls() + 1), HorizonExceeded) << what;
  EXPECT_THROW((void)schedule.mu(0), Error) << what;
}

TEST(ErmSchedule, EvenOnesSpendTheBudgetAndNoMore) {
  for (const std::uint64_t calls : {1U, 2U, 3U, 7U, 64U, 1000U, 99991U}) {
    expect_spends_all(ErmSchedule::even(kMu, calls), std::to_string(calls));
  }
  EXPECT_NEAR(ErmSchedule::even(kMu, 64).mu(17) / kMu, 0.125, 1e-13);
}

TEST(ErmSchedule, UnevenOnesSpendTheBudgetAndNoMore) {
  for (const double power : {-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 20.0}) {
    expect_spends_all(ErmSchedule::power(kMu, 5000, power), "power " + std::to_string(power));
  }
}

TEST(ErmSchedule, UnevenOnesKeepTheirProportions) {
  const ErmSchedule power = ErmSchedule::power(kMu, 100, 3.0);
  EXPECT_NEAR(power.mu(40) / power.mu(10), 8.0, 1e-12);
  const ErmSchedule falling = ErmSchedule::power(kMu, 100, -3.0);
  EXPECT_NEAR(falling.mu(10) / falling.mu(40), 8.0, 1e-12);
  EXPECT_EQ(ErmSchedule::power(kMu, 100, 0.0).mu(3), ErmSchedule::even(kMu, 100).mu(3));
}

TEST(ErmSchedule, ComposedCallsHaveAtMostTheDeltaOfTheBudget) {
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-12}) {
      const double total = gaussian_mu({epsilon, delta});
      const ErmSchedule schedule = ErmSchedule::power(total, 500, 1.0);
      long double squares = 0.0L;
      for (std::uint64_t call = 1; call <= 500; ++call) {
        squares += static_cast<long double>(schedule.mu(call)) * schedule.mu(call);
      }
      const long double mu = std::sqrt(squares);
      const long double root = std::sqrt(2.0L);
      const long double composed =
          std::erfc((epsilon / mu - mu / 2) / root) / 2 -
          std::exp(static_cast<long double>(epsilon)) * std::erfc((epsilon / mu + mu / 2) / root) / 2;
      EXPECT_LE(composed, delta * (1.0L + 1e-14L)) << epsilon << " " << delta;
      EXPECT_GE(composed, delta * 0.999999L) << epsilon << " " << delta;
    }
  }
}

TEST(ErmSchedule, AnUnboundedOneNeverSpendsMoreThanTheBudget) {
  for (const std::uint64_t expected : {1U, 2U, 8U, 64U, 1000U, 200000U}) {
    const ErmSchedule schedule = ErmSchedule::unbounded(kMu, expected);
    EXPECT_FALSE(schedule.calls().has_value());
    ExactSquares squares;
    ErmSpend spend(kMu);
    constexpr std::uint64_t kCalls = 1000000;
    for (std::uint64_t call = 1; call <= kCalls; ++call) {
      const double mu = schedule.mu(call);
      ASSERT_GT(mu, 0.0);
      squares.add(mu);
      ASSERT_NO_THROW(spend.add(mu)) << expected << " " << call;
    }
    // The tail after J calls is at most (1/2) ln(N + 1/2) / ln(J + 1/2) of mu^2, and not far below it.
    const double tail = 0.5 * std::log(static_cast<double>(expected) + 0.5) / std::log(kCalls + 0.5);
    EXPECT_LE(squares.excess(kMu) + tail, 0.0) << expected;
    const double lost = -(squares.excess(kMu) + tail);
    std::cout << "N = " << expected << ": never used " << lost << " of mu^2, left after 10^6 calls " << tail << "\n";
    EXPECT_LT(lost, 0.1 / (static_cast<double>(expected) * static_cast<double>(expected))) << expected;
    EXPECT_GT(schedule.mu(~std::uint64_t{0}), 0.0);
  }
}

TEST(ErmSchedule, AnUnboundedOneIsNoisierByTheRootOfTwoForTheCallsExpected) {
  const ErmSchedule endless = ErmSchedule::unbounded(kMu, 64);
  const ErmSchedule even = ErmSchedule::even(kMu, 64);
  EXPECT_NEAR(even.mu(64) / endless.mu(64), std::sqrt(2.0), 1e-12);
  for (std::uint64_t call = 64; call < 2000; ++call) EXPECT_GT(endless.mu(call), endless.mu(call + 1));
}

TEST(ErmSchedule, RefusesWhatMakesNoSense) {
  for (const double mu : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-200}) {
    EXPECT_EQ(refusal([&] { ErmSchedule::even(mu, 3); }).rfind("epsilon: ", 0), 0U);
    EXPECT_EQ(refusal([&] { ErmSchedule::unbounded(mu); }).rfind("epsilon: ", 0), 0U);
    EXPECT_EQ(refusal([&] { ErmSpend{mu}; }).rfind("epsilon: ", 0), 0U);
  }
  EXPECT_EQ(refusal([] { ErmSchedule::even(1.0, 0); }), "calls: 0 calls; accepted: 1 or more");
  EXPECT_EQ(refusal([] { ErmSchedule::power(1.0, 0, 1.0); }).rfind("calls: 0", 0), 0U);
  EXPECT_EQ(refusal([] { ErmSchedule::power(1.0, 10000001, 1.0); }).rfind("calls: 10000001", 0), 0U);
  EXPECT_EQ(refusal([] { ErmSchedule::unbounded(1.0, 0); }).rfind("expected-calls: 0", 0), 0U);
  for (const double bad : {100.0, -100.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(refusal([&] { ErmSchedule::power(1.0, 1000, bad); }).rfind("exponent: ", 0), 0U);
  }
  EXPECT_EQ(refusal([] { ErmSchedule::power(1.0, 1, HUGE_VAL); }).rfind("exponent: ", 0), 0U);
  EXPECT_EQ(refusal([] { even_part(1.0, 0); }).rfind("parts: 0", 0), 0U);
}

TEST(ErmSpend, TakesExactlyTheTotalOnceAndThenNothing) {
  for (const double total : {kMu, 0.1, 1.0, 1e-100, 3e99}) {
    ErmSpend spend(total);
    EXPECT_EQ(spend.spent_mu(), 0.0);
    EXPECT_EQ(spend.remaining_mu(), total);
    EXPECT_FALSE(spend.can_add(std::nextafter(total, HUGE_VAL)));
    spend.add(total);
    EXPECT_EQ(spend.spent_mu(), total);
    EXPECT_EQ(spend.remaining_mu(), 0.0);
    EXPECT_FALSE(spend.can_add(std::numeric_limits<double>::denorm_min()));
    EXPECT_FALSE(spend.can_add(1e-30 * total));
  }
}

TEST(ErmSpend, ARefusedChargeLeavesItAsItWas) {
  ErmSpend spend(1.0);
  spend.add(0.6);
  const double before = spend.spent_mu();
  try {
    spend.add(0.9);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nothing was charged"), std::string::npos) << error.what();
  }
  EXPECT_EQ(spend.spent_mu(), before);
  spend.add(0.7);
  for (const double bad : {0.0, -0.1, std::nan(""), HUGE_VAL}) EXPECT_THROW(spend.add(bad), Error) << bad;
  EXPECT_THROW(spend.add(1e-3, 0), Error);
  EXPECT_THROW(spend.add(1e-9, ~std::uint64_t{0}), Error);
}

TEST(ErmSpend, NeverLetsTheExactSumOfSquaresPassTheTotal) {
  std::mt19937_64 generator(72);
  std::uniform_real_distribution<double> exponent(-9.0, 0.0);
  for (int trial = 0; trial < 200; ++trial) {
    const double total = std::pow(10.0, exponent(generator) / 3.0);
    ErmSpend spend(total);
    ExactSquares squares;
    for (int charge = 0; charge < 400; ++charge) {
      // What is left, or a little more, or less: most charges are at the edge.
      double mu = charge % 3 == 0 ? spend.remaining_mu() : total * std::pow(10.0, exponent(generator));
      if (charge % 5 == 0) mu *= 1.0 + 1e-7;
      const std::uint64_t sums = charge % 4 == 0 ? 1 + generator() % 5 : 1;
      if (!spend.can_add(mu, sums)) continue;
      spend.add(mu, sums);
      for (std::uint64_t i = 0; i < sums; ++i) squares.add(mu);
    }
    EXPECT_LE(squares.excess(total), 0.0);
    EXPECT_GE(squares.excess(total), -1e-6);
    EXPECT_LE(squares.excess(spend.spent_mu()), 0.0);
  }
}

TEST(ErmSpend, TakesEveryPartOfEveryCall) {
  for (const std::uint64_t parts : {1U, 3U, 10U, 1000U, 12345U}) {
    const ErmSchedule schedule = ErmSchedule::even(kMu, 50);
    ErmSpend spend(kMu);
    for (std::uint64_t call = 1; call <= 50; ++call) spend.add(even_part(schedule.mu(call), parts), parts);
    EXPECT_NEAR(spend.spent_mu() / kMu, 1.0, 1e-12);
    EXPECT_FALSE(spend.can_add(1e-5 * kMu));
  }
}

TEST(ErmSpend, RemainingIsWhatCanBeAdded) {
  ErmSpend spend(2.0);
  spend.add(1.2);
  EXPECT_NEAR(spend.remaining_mu(), 1.6, 1e-7);
  EXPECT_TRUE(spend.can_add(spend.remaining_mu()));
  EXPECT_FALSE(spend.can_add(spend.remaining_mu() + 1e-7));
}

}  // namespace
}  // namespace rivulet::privacy
