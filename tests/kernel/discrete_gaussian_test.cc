#include "kernel/discrete_gaussian.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "kernel/integer_oracle.h"
#include "support/statistics.h"

namespace rivulet::kernel {

class DiscreteGaussianPeer {
 public:
  // The exact comparison for rectangle `strip` and magnitude m, with y's first 64 random bits given.
  static bool below(const DiscreteGaussian& sampler, RandomBits& bits, unsigned strip, std::uint64_t m,
                    std::uint64_t y_bits) {
    return sampler.below_curve_exactly(bits, strip, 0, m, y_bits);
  }
  static bool tail_below(const DiscreteGaussian& sampler, RandomBits& bits, unsigned block, std::uint64_t m,
                         std::uint64_t y_bits) {
    return sampler.below_curve_exactly(bits, 0, block, m, y_bits);
  }
  // The same with all of y's digits given; how many were asked for comes back, too.
  static std::pair<bool, std::size_t> compare(const DiscreteGaussian& sampler, unsigned strip, std::uint64_t m,
                                              const std::vector<std::uint64_t>& digits) {
    std::size_t used = 1;
    const bool below = sampler.compare_exactly([&] { return used < digits.size() ? digits[used++] : (++used, 0); },
                                               strip, 0, m, digits[0]);
    return {below, used};
  }
  static long double y(const DiscreteGaussian& sampler, unsigned strip, std::uint64_t y_bits) {
    long double sum = static_cast<long double>(y_bits) * 0x1p-64L / static_cast<long double>(sampler.width_[strip]);
    for (unsigned l = 1; l < strip; ++l) sum += 1.0L / static_cast<long double>(sampler.width_[l]);
    return sum * static_cast<long double>(sampler.area_);
  }
  static std::uint64_t width(const DiscreteGaussian& sampler, unsigned strip) { return sampler.width_[strip]; }
  static std::uint64_t tail_width(const DiscreteGaussian& sampler) { return sampler.tail_width_; }
  static double area(const DiscreteGaussian& sampler) { return sampler.area_; }
  // Whether every magnitude outside a rectangle lies under it, and every one accepted outright above it, by an
  // independent evaluation.
  static bool covers(const DiscreteGaussian& sampler) {
    const auto curve = [&](std::uint64_t m) {
      const long double ratio = static_cast<long double>(m) / static_cast<long double>(sampler.sigma_);
      return std::exp(-ratio * ratio / 2.0L);
    };
    for (unsigned i = 1; i < DiscreteGaussian::kStrips; ++i) {
      const long double bottom = y(sampler, i, 0);
      const long double top =
          i + 1 < DiscreteGaussian::kStrips
              ? y(sampler, i + 1, 0)
              : bottom + static_cast<long double>(sampler.area_) / static_cast<long double>(sampler.width_[i]);
      if (i > 1 && sampler.width_[i] < sampler.width_[1] && curve(sampler.width_[i]) > bottom) return false;
      if (sampler.certain_[i] > 0 && curve(sampler.certain_[i] - 1) < top) return false;
      if (i + 1 == DiscreteGaussian::kStrips && top < 1.0L) return false;
    }
    for (unsigned block = 0; block < 40; ++block) {
      const long double top = static_cast<long double>(sampler.area_) /
                              (2.0L * static_cast<long double>(sampler.tail_width_)) *
                              std::exp2(-static_cast<long double>(block));
      if (curve(sampler.width_[1] + block * sampler.tail_width_) > top) return false;
    }
    return true;
  }
};

namespace {

using rivulet::testing::chi_square;
using rivulet::testing::chi_square_limit;
using rivulet::testing::normal_cdf;

std::vector<std::int64_t> draw(double sigma, std::size_t count, std::uint64_t seed) {
  RandomBits bits = RandomBits::insecure(seed);
  std::vector<std::int64_t> out(count);
  DiscreteGaussian(sigma).sample(bits, out);
  return out;
}

// Bins [edge_i, edge_{i+1}) over the integers, with open ends, and their exact probabilities under sigma.
struct Bins {
  std::vector<std::int64_t> edges;
  std::vector<double> probabilities;

  [[nodiscard]] std::vector<std::uint64_t> count(const std::vector<std::int64_t>& values) const {
    std::vector<std::uint64_t> counts(probabilities.size(), 0);
    for (const std::int64_t value : values) {
      ++counts[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin())];
    }
    return counts;
  }
};

Bins make_bins(double sigma, std::size_t wanted) {
  Bins bins;
  for (std::size_t i = 1; i < wanted; ++i) {
    // Equal steps in z from -4.4 to 4.4: the outermost bins test the tails too.
    const double z = -4.4 + 8.8 * static_cast<double>(i) / static_cast<double>(wanted);
    const auto edge = static_cast<std::int64_t>(std::llround(z * sigma));
    if (bins.edges.empty() || edge > bins.edges.back()) bins.edges.push_back(edge);
  }
  const std::size_t count = bins.edges.size() + 1;
  bins.probabilities.assign(count, 0.0);
  if (sigma <= 5000.0) {
    // Term by term.
    long double total = 0.0L;
    std::vector<long double> weights(count, 0.0L);
    for (auto z = static_cast<std::int64_t>(-40 * sigma); z <= static_cast<std::int64_t>(40 * sigma); ++z) {
      const long double ratio = static_cast<long double>(z) / static_cast<long double>(sigma);
      const long double weight = std::exp(-ratio * ratio / 2.0L);
      weights[static_cast<std::size_t>(std::upper_bound(bins.edges.begin(), bins.edges.end(), z) -
                                       bins.edges.begin())] += weight;
      total += weight;
    }
    for (std::size_t i = 0; i < count; ++i) bins.probabilities[i] = static_cast<double>(weights[i] / total);
  } else {
    // Midpoint rule against the normal integral: off by less than 1/(24 sigma^2), relative 1e-9 and below.
    double previous = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double cumulative =
          i < bins.edges.size() ? normal_cdf((static_cast<double>(bins.edges[i]) - 0.5) / sigma) : 1.0;
      bins.probabilities[i] = cumulative - previous;
      previous = cumulative;
    }
  }
  return bins;
}

constexpr std::size_t kDraws = 4'000'000;

class DiscreteGaussianAtSigma : public ::testing::TestWithParam<double> {};

TEST_P(DiscreteGaussianAtSigma, FrequenciesMatchTheExactProbabilities) {
  const double sigma = GetParam();
  const Bins bins = make_bins(sigma, 120);
  const auto counts = bins.count(draw(sigma, kDraws, 11));
  EXPECT_LT(chi_square(counts, bins.probabilities), chi_square_limit(static_cast<double>(counts.size() - 1)));
}

TEST_P(DiscreteGaussianAtSigma, AOnePercentErrorInSigmaIsCaught) {
  const double sigma = GetParam();
  const Bins bins = make_bins(sigma, 120);
  for (double factor : {0.99, 1.01}) {
    const auto counts = bins.count(draw(sigma * factor, kDraws, 12));
    EXPECT_GT(chi_square(counts, bins.probabilities), chi_square_limit(static_cast<double>(counts.size() - 1)))
        << factor;
  }
}

TEST_P(DiscreteGaussianAtSigma, LowBitsAreUniformWhereSigmaIsLarge) {
  const double sigma = GetParam();
  if (sigma < 1000.0) GTEST_SKIP() << "low bits are not uniform at small sigma";
  std::vector<std::uint64_t> counts(256, 0);
  for (const std::int64_t value : draw(sigma, kDraws, 13)) ++counts[static_cast<std::uint64_t>(value) & 0xFFU];
  const std::vector<double> probabilities(256, 1.0 / 256.0);
  EXPECT_LT(chi_square(counts, probabilities), chi_square_limit(255));
}

TEST_P(DiscreteGaussianAtSigma, SuccessiveDrawsAreIndependent) {
  const double sigma = GetParam();
  const auto values = draw(sigma, kDraws, 14);
  for (std::size_t lag : {1U, 2U, 255U, 256U, 257U}) {
    double sum = 0.0;
    double magnitude_sum = 0.0;
    const double mean_square = 1.0;
    for (std::size_t i = lag; i < values.size(); ++i) {
      const double a = static_cast<double>(values[i]) / sigma;
      const double b = static_cast<double>(values[i - lag]) / sigma;
      sum += a * b;
      magnitude_sum += (a * a - mean_square) * (b * b - mean_square);
    }
    const double n = static_cast<double>(values.size() - lag);
    EXPECT_LT(std::abs(sum) / std::sqrt(n), testing::kTwoSidedMillionth) << lag;
    EXPECT_LT(std::abs(magnitude_sum) / (2.0 * std::sqrt(n)), testing::kTwoSidedMillionth) << lag;
  }
}

INSTANTIATE_TEST_SUITE_P(FromTinyToHuge, DiscreteGaussianAtSigma,
                         ::testing::Values(16.0, 61.5, 1000.25, 0x1.8p20, 0x1p34, 0x1.9p52));

TEST(DiscreteGaussian, AgreesWithASlowExactIntegerSampler) {
  for (std::int64_t sigma : {1, 3, 16}) {
    constexpr std::size_t kOracleDraws = 400'000;
    testing::IntegerOracle oracle(sigma, 5);
    std::map<std::int64_t, std::array<std::uint64_t, 2>> table;
    for (std::size_t i = 0; i < kOracleDraws; ++i) ++table[oracle.sample()][0];
    for (const std::int64_t value : draw(static_cast<double>(sigma), kOracleDraws, 15)) ++table[value][1];
    // Two-sample chi-square; rare values are pooled.
    double statistic = 0.0;
    double degrees = -1.0;
    std::array<double, 2> pooled{};
    const auto add = [&](double a, double b) {
      statistic += (a - b) * (a - b) / (a + b);
      degrees += 1.0;
    };
    for (const auto& [value, counts] : table) {
      const auto a = static_cast<double>(counts[0]);
      const auto b = static_cast<double>(counts[1]);
      if (a + b >= 40.0) {
        add(a, b);
      } else {
        pooled[0] += a;
        pooled[1] += b;
      }
    }
    if (pooled[0] + pooled[1] > 0.0) add(pooled[0], pooled[1]);
    EXPECT_LT(statistic, testing::chi_square_limit(degrees)) << sigma;
  }
}

TEST(DiscreteGaussian, EveryIntegerNearZeroHasItsExactProbability) {
  // At sigma = 2 the whole distribution is visible, the special treatment of zero included.
  const double sigma = 2.0;
  std::vector<double> probabilities;
  double total = 0.0;
  for (int z = -40; z <= 40; ++z) total += std::exp(-z * z / 8.0);
  for (int z = -7; z <= 7; ++z) probabilities.push_back(std::exp(-z * z / 8.0) / total);
  double rest = 1.0;
  for (double p : probabilities) rest -= p;
  probabilities.push_back(rest);
  std::vector<std::uint64_t> counts(16, 0);
  for (const std::int64_t value : draw(sigma, kDraws, 16)) {
    ++counts[value >= -7 && value <= 7 ? static_cast<std::size_t>(value + 7) : 15];
  }
  EXPECT_LT(chi_square(counts, probabilities), chi_square_limit(15));
}

TEST(DiscreteGaussian, RefusesSigmaOutsideItsRange) {
  for (double sigma : {0.0, 0.5, -1.0, std::nan(""), 0x1p58}) {
    EXPECT_THROW(DiscreteGaussian{sigma}, std::invalid_argument) << sigma;
  }
}

TEST(DiscreteGaussian, TheStripsCoverTheCurveForEverySigma) {
  for (double sigma = 1.0; sigma < 0x1p57; sigma *= 1.37)
    EXPECT_TRUE(DiscreteGaussianPeer::covers(DiscreteGaussian(sigma))) << sigma;
}

TEST(DiscreteGaussian, TheExactComparisonAgreesWithExtendedPrecisionOnBothSidesOfTheCurve) {
  RandomBits bits = RandomBits::insecure(3);
  for (double sigma : {3.0, 1000.5, 0x1.7p40}) {
    const DiscreteGaussian sampler(sigma);
    int above = 0;
    int below = 0;
    for (int round = 0; round < 4000; ++round) {
      const auto strip = static_cast<unsigned>(1 + bits.next64() % 255);
      const std::uint64_t m = bits.next64() % DiscreteGaussianPeer::width(sampler, strip);
      const std::uint64_t y_bits = bits.next64();
      const long double ratio = static_cast<long double>(m) / static_cast<long double>(sigma);
      const long double difference = std::exp(-ratio * ratio / 2.0L) - DiscreteGaussianPeer::y(sampler, strip, y_bits);
      if (std::abs(difference) < 1e-15L) continue;
      const bool expected = difference > 0.0L;
      ASSERT_EQ(DiscreteGaussianPeer::below(sampler, bits, strip, m, y_bits), expected)
          << sigma << " " << strip << " " << m;
      ++(expected ? below : above);
    }
    EXPECT_GT(above, 10);
    EXPECT_GT(below, 1000);
    // The tail: block b is 2^-b A/(2w) high.
    for (unsigned block = 0; block < 5; ++block) {
      const std::uint64_t m =
          DiscreteGaussianPeer::width(sampler, 1) + block * DiscreteGaussianPeer::tail_width(sampler);
      const long double ratio = static_cast<long double>(m) / static_cast<long double>(sigma);
      const long double top = static_cast<long double>(DiscreteGaussianPeer::area(sampler)) /
                              (2.0L * static_cast<long double>(DiscreteGaussianPeer::tail_width(sampler))) *
                              std::exp2(-static_cast<long double>(block));
      const auto edge = static_cast<std::uint64_t>(std::exp(-ratio * ratio / 2.0L) / top * 0x1p64L);
      EXPECT_TRUE(DiscreteGaussianPeer::tail_below(sampler, bits, block, m, edge - (edge >> 40)));
      EXPECT_FALSE(DiscreteGaussianPeer::tail_below(sampler, bits, block, m, edge + (edge >> 40)));
    }
  }
}

TEST(DiscreteGaussian, TheExactComparisonIsRightWithinOnePartInTwoToTheSixty) {
  // Rectangle 1 starts at y = 0: its y is U A / W_1. The U where it meets the curve, to 64 bits, splits true from
  // false.
  RandomBits bits = RandomBits::insecure(4);
  const double sigma = 1000.5;
  const DiscreteGaussian sampler(sigma);
  for (std::uint64_t m = DiscreteGaussianPeer::width(sampler, 1) - 5; m < DiscreteGaussianPeer::width(sampler, 1);
       ++m) {
    std::uint64_t low = 0;
    std::uint64_t high = ~std::uint64_t{0};
    if (DiscreteGaussianPeer::below(sampler, bits, 1, m, high)) continue;  // the curve passes above the rectangle
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (DiscreteGaussianPeer::below(sampler, bits, 1, m, middle) ? low : high) = middle;
    }
    const long double ratio = static_cast<long double>(m) / static_cast<long double>(sigma);
    EXPECT_NEAR(static_cast<double>(DiscreteGaussianPeer::y(sampler, 1, low) / std::exp(-ratio * ratio / 2.0L)), 1.0,
                1e-17 + 1e-16);
  }
}

// The digits of the U in [0, 1) whose y is f(m) exactly, cut off, by MPFR's own exponential with far more precision.
std::vector<std::uint64_t> digits_of_the_curve(const DiscreteGaussian& sampler, std::uint64_t m, std::size_t count) {
  mpfr_t u, square;
  mpfr_inits2(static_cast<mpfr_prec_t>(64 * count + 512), u, square, nullptr);
  mpfr_set_ui(square, m, MPFR_RNDN);
  mpfr_div_d(square, square, sampler.sigma(), MPFR_RNDN);
  mpfr_sqr(square, square, MPFR_RNDN);
  mpfr_div_si(square, square, -2, MPFR_RNDN);
  mpfr_exp(u, square, MPFR_RNDN);
  mpfr_mul_ui(u, u, DiscreteGaussianPeer::width(sampler, 1), MPFR_RNDN);
  mpfr_div_d(u, u, DiscreteGaussianPeer::area(sampler), MPFR_RNDN);
  std::vector<std::uint64_t> digits;
  for (std::size_t i = 0; i < count; ++i) {
    mpfr_mul_2ui(u, u, 64, MPFR_RNDN);
    digits.push_back(mpfr_get_ui(u, MPFR_RNDD));
    mpfr_sub_ui(u, u, digits.back(), MPFR_RNDN);
  }
  mpfr_clears(u, square, nullptr);
  return digits;
}

TEST(DiscreteGaussian, TheExactComparisonGoesOnUntilTheDigitThatDecides) {
  // y agrees with the curve in all but the last of `count` digits, where it is one too small or one too large.
  int decided = 0;
  for (const double sigma : {1.0, 1000.5, 0x1.7p40, 0x1.fp56}) {
    const DiscreteGaussian sampler(sigma);
    const std::uint64_t width = DiscreteGaussianPeer::width(sampler, 1);
    for (const std::uint64_t m : {width - 1, width - width / 256 - 1}) {
      for (const std::size_t count : {2U, 3U, 7U, 24U, 60U}) {
        std::vector<std::uint64_t> digits = digits_of_the_curve(sampler, m, count);
        if (digits[0] == ~std::uint64_t{0}) continue;  // the curve passes above the rectangle
        const auto [below, used] = DiscreteGaussianPeer::compare(sampler, 1, m, digits);
        EXPECT_TRUE(below) << sigma << " " << m << " " << count;
        EXPECT_GE(used, count);
        digits.back() += 1;
        if (digits.back() == 0) continue;
        EXPECT_FALSE(DiscreteGaussianPeer::compare(sampler, 1, m, digits).first) << sigma << " " << m << " " << count;
        ++decided;
      }
    }
  }
  EXPECT_GE(decided, 20);
}

}  // namespace
}  // namespace rivulet::kernel
