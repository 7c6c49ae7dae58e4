// The exponential and the logarithm that are the same everywhere, against long double.
#include "base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace rivulet::geometry {
namespace {

constexpr long double kUnit = std::numeric_limits<double>::epsilon();

TEST(PortableMath, ExponentialsAreWithinTwoUnitsOfRounding) {
  std::mt19937_64 generator(601);
  std::uniform_real_distribution<double> wide(-708.0, 709.0);
  std::uniform_real_distribution<double> narrow(-1.0, 1.0);
  for (int trial = 0; trial < 300'000; ++trial) {
    const double x = trial % 3 == 0 ? wide(generator) : narrow(generator) * std::pow(10.0, -(trial % 8));
    const long double exact = std::exp(static_cast<long double>(x));
    EXPECT_LE(std::abs(portable_exp(x) - exact), 2.0L * kUnit * exact) << x;
  }
}

TEST(PortableMath, LogarithmsAreWithinTwoUnitsOfRounding) {
  std::mt19937_64 generator(602);
  std::uniform_real_distribution<double> exponent(-307.0, 307.0);
  std::uniform_real_distribution<double> narrow(-1.0, 1.0);
  for (int trial = 0; trial < 300'000; ++trial) {
    const double x =
        trial % 3 == 0 ? std::pow(10.0, exponent(generator)) : 1.0 + narrow(generator) * std::pow(10.0, -(trial % 15));
    if (!(x > 0.0)) continue;
    const long double exact = std::log(static_cast<long double>(x));
    EXPECT_LE(std::abs(portable_log(x) - exact), 2.0L * kUnit * std::abs(exact)) << x;
  }
}

TEST(PortableMath, TheEndsOfTheRangeAreWhatTheyShouldBe) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(portable_exp(0.0), 1.0);
  EXPECT_EQ(portable_exp(-infinity), 0.0);
  EXPECT_EQ(portable_exp(-1e300), 0.0);
  EXPECT_EQ(portable_exp(infinity), infinity);
  EXPECT_EQ(portable_exp(710.0), infinity);
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
  EXPECT_EQ(portable_log(1.0), 0.0);
  EXPECT_EQ(portable_log(0.0), -infinity);
  EXPECT_EQ(portable_log(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable_log(std::nan(""))));
  EXPECT_NEAR(portable_log(std::numeric_limits<double>::denorm_min()), -744.44007192138126, 1e-12);
}

}  // namespace
}  // namespace rivulet::geometry
