// What random bits leave behind: nothing, anywhere in the process. Registers are not looked at.
#include "kernel/erasure.h"

#include <gmp.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cstring>

#include "kernel/discrete_gaussian.h"
#include "support/memory_scan.h"

namespace rivulet::kernel {

class DiscreteGaussianPeer {
 public:
  // As `sample` does when a draw comes down to it.
  static bool below(const DiscreteGaussian& sampler, RandomBits& bits, unsigned strip, std::uint64_t m,
                    std::uint64_t first_digit_complement) {
    const StackErasedAtEnd<4096> erased;
    return sampler.below_curve_exactly(bits, strip, 0, m, ~first_digit_complement);
  }
};

namespace {

using testing::complements_of;
using testing::secrets_in_memory;

constexpr std::uint64_t kSeed = 71;

// Every stretch of 8 bytes of the first `count` that a generator gives, 2 bytes apart: the sampler takes words of 8 and
// of 2.
std::vector<std::uint64_t> stretches(std::size_t count) {
  std::vector<std::byte> bytes(count);
  RandomBits bits = RandomBits::insecure(kSeed);
  bits.fill(bytes);
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i + 8 <= count; i += 2) {
    std::memcpy(&result.emplace_back(), bytes.data() + i, 8);
  }
  return result;
}

TEST(Erasure, TheScanFindsAWordThatWasLeftBehind) {
  const auto complements = complements_of([] { return stretches(24); });
  std::vector<std::uint64_t> left(3);
  RandomBits bits = RandomBits::insecure(kSeed);
  bits.fill(std::as_writable_bytes(std::span(left)));
  EXPECT_GE(secrets_in_memory(complements), 3U);
  explicit_bzero(left.data(), left.size() * 8);
  EXPECT_EQ(secrets_in_memory(complements), 0U);
}

TEST(Erasure, NoWordThatTheSamplerSawIsLeftAnywhere) {
  constexpr std::size_t kDraws = 3000;  // a few dozen of them go the slow way
  constexpr std::size_t kFewest = kDraws * 10;
  const auto complements = complements_of([] { return stretches(kFewest); });
  for (const double sigma : {2.0, 0x1.7p40}) {  // the first goes the slow way more often than not
    const DiscreteGaussian sampler(sigma);
    // The draws themselves are the caller's.
    std::vector<std::int64_t> draws(kDraws);
    RandomBits bits = RandomBits::insecure(kSeed);
    sampler.sample(bits, draws);
    std::fill(draws.begin(), draws.end(), 0);
    EXPECT_EQ(secrets_in_memory(complements), 0U) << sigma;
  }
}

// Every block that GMP and MPFR give back or keep.
int blocks_taken = 0;
void* take(std::size_t size) {
  ++blocks_taken;
  return std::malloc(size);
}
void* take_again(void* block, std::size_t, std::size_t size) {
  ++blocks_taken;
  return std::realloc(block, size);
}
void give_back(void* block, std::size_t) {
  std::free(block);
}

TEST(Erasure, NothingOfAnExactComparisonIsLeftAnywhere) {
  constexpr double kSigma = 0x1.7p40;
  constexpr std::uint64_t kMagnitude = 1234567890123;
  // y's digits, m / sigma, its square's half x, and the leading words of e^x and e^-x, which any way of computing them
  // must pass through.
  const auto complements = complements_of([] {
    std::vector<std::uint64_t> secrets = stretches(32);
    mpfr_t value;
    const auto keep = [&](int words) {
      const std::size_t limbs = (static_cast<std::size_t>(mpfr_get_prec(value)) + 63) / 64;
      const auto* significand = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(value));
      for (int i = 1; i <= words; ++i) {
        // A word of zeros or ones is nobody's.
        if (significand[limbs - static_cast<std::size_t>(i)] << 8 != 0) {
          secrets.push_back(significand[limbs - static_cast<std::size_t>(i)]);
        }
      }
    };
    mpfr_init2(value, 192);
    mpfr_set_ui(value, kMagnitude, MPFR_RNDD);
    mpfr_div_d(value, value, kSigma, MPFR_RNDD);
    keep(3);
    mpfr_sqr(value, value, MPFR_RNDD);
    mpfr_div_2ui(value, value, 1, MPFR_RNDD);
    keep(3);
    mpfr_prec_round(value, 512, MPFR_RNDD);
    mpfr_exp(value, value, MPFR_RNDD);
    keep(2);
    mpfr_ui_div(value, 1, value, MPFR_RNDD);
    keep(2);
    return secrets;
  });
  ASSERT_GT(complements.size(), 18U);
  const DiscreteGaussian sampler(kSigma);
  mp_set_memory_functions(take, take_again, give_back);
  blocks_taken = 0;
  for (const unsigned strip : {1U, 100U}) {
    RandomBits bits = RandomBits::insecure(kSeed);
    const std::uint64_t skipped = ~bits.next64();
    EXPECT_EQ(skipped, complements[0]);  // the digit that the comparison is given
    static_cast<void>(DiscreteGaussianPeer::below(sampler, bits, strip, kMagnitude, skipped));
    // Digits that were drawn: 24 bytes, or 9 stretches; the stretches behind them are still to come.
    std::vector<std::uint64_t> used(complements.begin(), complements.begin() + 9);
    used.insert(used.end(), complements.begin() + 13, complements.end());
    EXPECT_EQ(secrets_in_memory(used), 0U) << strip;
  }
  EXPECT_EQ(blocks_taken, 0);  // MPFR took no memory that it would give back as it is
  mp_set_memory_functions(nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace rivulet::kernel
