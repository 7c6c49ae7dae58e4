#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "audit/distinguisher.h"

namespace rivulet::audit {
namespace {

constexpr int kTrials = 2000;

// Trials of numbers made from three independent normal draws by `make`; the second stream adds `shift`.
template <typename Make>
ViewTrials trials_of(const std::vector<double>& shift, Make make) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  ViewTrials trials;
  for (int i = 0; i < kTrials; ++i) {
    for (const bool second : {false, true}) {
      const double draws[] = {normal(random), normal(random), normal(random)};
      std::vector<double> numbers = make(draws);
      std::vector<double>& kept = second ? trials.second : trials.first;
      for (std::size_t j = 0; j < numbers.size(); ++j) kept.push_back(numbers[j] + (second ? shift[j] : 0.0));
    }
  }
  return trials;
}

// How far the weighted shift is from 0 in standard deviations of the weighted noise.
template <typename Make>
double separation(const std::vector<double>& weights, const std::vector<double>& shift, Make make) {
  double variance = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    double draws[] = {0.0, 0.0, 0.0};
    draws[j] = 1.0;
    const double part = score(weights, make(draws));
    variance += part * part;
  }
  return std::abs(score(weights, shift)) / std::sqrt(variance);
}

const auto kIndependent = [](const double* draws) { return std::vector<double>{draws[0], draws[1], draws[2]}; };

TEST(Discriminant, OfIndependentNoiseIsNearlyTheShift) {
  const std::vector<double> shift{1.0, 0.0, -2.0};
  const View view{"", 3, shift, true};
  const std::vector<double> weights = discriminant(view, trials_of(shift, kIndependent));
  EXPECT_GT(separation(weights, shift, kIndependent), 0.998 * std::sqrt(5.0));
}

TEST(Discriminant, LearnsTheShiftWhenNobodyKnowsIt) {
  const std::vector<double> shift{1.0, 0.0, -2.0};
  const View view{"", 3, {}, true};
  const std::vector<double> weights = discriminant(view, trials_of(shift, kIndependent));
  EXPECT_GT(separation(weights, shift, kIndependent), 0.998 * std::sqrt(5.0));
}

TEST(Discriminant, TakesTheClaimForGrantedWhenToldTo) {
  const View view{"", 2, {3.0, 4.0}, false};
  EXPECT_EQ(discriminant(view, {}), (std::vector<double>{3.0, 4.0}));
}

TEST(Discriminant, CancelsADrawThatWasUsedTwice) {
  const auto reused = [](const double* draws) { return std::vector<double>{draws[0], draws[0], draws[1]}; };
  const std::vector<double> shift{0.1, 0.05, 0.1};
  const std::vector<double> weights = discriminant({"", 3, shift, true}, trials_of(shift, reused));
  EXPECT_GT(separation(weights, shift, reused), 1000.0);
}

TEST(Discriminant, FindsTheNumberWithoutNoise) {
  const auto bare = [](const double* draws) { return std::vector<double>{draws[0], 7.0, draws[1]}; };
  const auto noise = [](const double* draws) { return std::vector<double>{draws[0], 0.0, draws[1]}; };
  const std::vector<double> shift{0.1, 1e-3, 0.1};
  const std::vector<double> weights = discriminant({"", 3, shift, true}, trials_of(shift, bare));
  EXPECT_GT(separation(weights, shift, noise), 1000.0);
}

TEST(Discriminant, IgnoresNumbersThatNeverChange) {
  const auto constant = [](const double* draws) { return std::vector<double>{draws[0], 7.0, draws[1]}; };
  const std::vector<double> shift{1.0, 0.0, 1.0};
  const std::vector<double> weights = discriminant({"", 3, {}, true}, trials_of(shift, constant));
  EXPECT_EQ(weights[1], 0.0);
  EXPECT_NEAR(weights[0] / weights[2], 1.0, 0.2);
}

}  // namespace
}  // namespace rivulet::audit
