#include "kernel/discrete_gaussian.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/int128.h"
#include "kernel/erasure.h"

namespace rivulet::kernel {
namespace {

constexpr double kLargestSigma = 144115188075855872.0;  // 2^57
constexpr double kOutward = 9.313225746154785e-10;      // 2^-30
constexpr double kNearPeak = 0.999;                     // above it, log(height) is too sensitive to rounding to be used
constexpr double kUndecided = 1.4551915228366852e-11;   // 2^-36
constexpr double kFirstWidth = 3.6542;                  // W_1 / sigma: where the tail begins
constexpr double kLogTwo = 0.6931471805599453;

std::uint64_t draw_below(RandomBits& bits, std::uint64_t range, std::uint64_t word) {
  return uniform_below<std::uint64_t, UInt128>(range, word, [&] { return bits.next64(); });
}

// How far below `sample` the slow path reaches, and how far below the exact comparison MPFR does.
constexpr std::size_t kSlowStack = 4096;
constexpr std::size_t kExactStack = 65536;

// One MPFR number in memory of ours, which is erased with its scope.
class Real {
 public:
  explicit Real(mpfr_prec_t precision)
      : limbs_((mpfr_custom_get_size(precision) + sizeof(mp_limb_t) - 1) / sizeof(mp_limb_t)) {
    mpfr_custom_init(limbs_.data(), precision);
    mpfr_custom_init_set(value_, MPFR_ZERO_KIND, 0, precision, limbs_.data());
  }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { explicit_bzero(value_, sizeof value_); }
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor): MPFR's functions take nothing else

 private:
  ErasedVector<mp_limb_t> limbs_;
  mpfr_t value_;
};

// A bound of e^x for x >= 0 in the direction of rounding. The series at x / 2^k < 2^-8 has positive terms only and
// squaring grows, so rounding every step one way bounds the whole. Not mpfr_exp, which leaves numbers in memory that
// only MPFR can reach.
void bound_exponential(Real& result, Real& x, Real& term, mpfr_rnd_t towards) {
  mpfr_set_ui(result, 1, towards);
  if (mpfr_zero_p(x)) return;
  const mpfr_prec_t precision = mpfr_get_prec(result);
  const auto halvings = static_cast<unsigned long>(std::max<mpfr_exp_t>(0, mpfr_get_exp(x) + 8));
  mpfr_div_2ui(x, x, halvings, towards);
  mpfr_set_ui(term, 1, towards);
  for (unsigned long i = 1; mpfr_get_exp(term) > -precision; ++i) {
    mpfr_mul(term, term, x, towards);
    mpfr_div_ui(term, term, i, towards);
    mpfr_add(result, result, term, towards);
  }
  // The terms left out are less than the last one together.
  if (towards == MPFR_RNDU) mpfr_add(result, result, term, towards);
  for (unsigned long i = 0; i < halvings; ++i) mpfr_sqr(result, result, towards);
}

}  // namespace

DiscreteGaussian::DiscreteGaussian(double sigma) : sigma_(sigma), inverse_two_variance_(0.5 / sigma / sigma) {
  if (!(sigma >= 1.0 && sigma <= kLargestSigma))
    throw std::invalid_argument("DiscreteGaussian: sigma outside [1, 2^57]");
  // The smallest area whose strips reach the peak f(0) = 1.
  double low = 0.9 * sigma * std::sqrt(std::acos(-1.0) / 2.0) / static_cast<double>(kStrips);
  double high = 2.0 * low;
  while (!covers_peak(high)) high *= 2.0;
  for (int iteration = 0; iteration < 40; ++iteration) {
    const double middle = (low + high) / 2.0;
    (covers_peak(middle) ? high : low) = middle;
  }
  lay_strips(high);
}

bool DiscreteGaussian::covers_peak(double area) {
  lay_strips(area);
  return height_[kStrips - 1] >= 1.0 + kOutward;
}

void DiscreteGaussian::lay_strips(double area) {
  area_ = area;
  width_[1] = static_cast<std::uint64_t>(std::ceil(kFirstWidth * sigma_)) + 1;
  const double first = static_cast<double>(width_[1]);
  // f falls by at least one half over a block: w W_1 / sigma^2 >= ln 2.
  tail_width_ = static_cast<std::uint64_t>(std::ceil(kLogTwo * (1.0 + kOutward) * (sigma_ / first) * sigma_)) + 1;
  // f(W_1) must lie below the tail's first block, A / (2 w).
  if (std::exp(-first * first * inverse_two_variance_) * (1.0 + kOutward) >
      area / (2.0 * static_cast<double>(tail_width_))) {
    area_ = 2.0 * static_cast<double>(tail_width_) * std::exp(-first * first * inverse_two_variance_) *
            (1.0 + 4.0 * kOutward);
  }

  height_[0] = 0.0;
  for (std::size_t i = 1; i < kStrips; ++i) {
    // Every m >= W_i has f(m) <= Y_{i-1}.
    if (i > 1) {
      const double below = height_[i - 1];
      const double reach =
          below < 1.0 ? sigma_ * std::sqrt(-2.0 * std::log(std::min(below, kNearPeak))) * (1.0 + kOutward) : 0.0;
      width_[i] = std::min(width_[i - 1], static_cast<std::uint64_t>(std::ceil(reach)) + 1);
    }
    height_[i] = height_[i - 1] + area_ / static_cast<double>(width_[i]);
    // Every m < K_i has f(m) >= Y_i.
    const double above = height_[i] * (1.0 + kOutward);
    const double sure = above < kNearPeak ? sigma_ * std::sqrt(-2.0 * std::log(above)) * (1.0 - kOutward) : 0.0;
    certain_[i] = std::min(static_cast<std::uint64_t>(std::floor(sure)), width_[i]);
  }
  width_[0] = 1;
  certain_[0] = 0;
}

void DiscreteGaussian::sample(RandomBits& bits, std::span<std::int64_t> out) const {
  constexpr std::size_t kBatch = 256;
  std::array<std::uint64_t, kBatch> words;
  std::array<std::uint16_t, kBatch> choices;
  // The random words are the noise: they do not outlive it, and neither does what the slow path made of them.
  const StackErasedAtEnd<kSlowStack> stack_erased;
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), kBatch);
    const ErasedAtEnd words_erased{std::span(words.data(), count)};
    const ErasedAtEnd choices_erased{std::span(choices.data(), count)};
    bits.fill(std::as_writable_bytes(std::span(words.data(), count)));
    bits.fill(std::as_writable_bytes(std::span(choices.data(), count)));
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned strip = choices[i] & 0xFFU;
      const auto negative = static_cast<std::int64_t>((choices[i] >> 8) & 1U);
      const auto product = multiply<std::uint64_t, UInt128>(words[i], width_[strip]);
      // One comparison for 1 <= m < K_i: zero needs the sign rule and goes the slow way.
      if (product.high - 1 < certain_[strip] - 1 && certain_[strip] != 0 && product.low >= width_[strip]) [[likely]] {
        out[i] = (static_cast<std::int64_t>(product.high) ^ -negative) + negative;
      } else {
        out[i] = sample_slowly(bits, strip, negative != 0, words[i]);
      }
    }
    out = out.subspan(count);
  }
}

// Never part of `sample`: its variables must lie on the stack that `sample` erases.
[[gnu::noinline]] std::int64_t DiscreteGaussian::sample_slowly(RandomBits& bits, unsigned strip, bool negative,
                                                               std::uint64_t word) const {
  while (true) {
    std::uint64_t magnitude = 0;
    if (propose(bits, strip, word, magnitude) && !(magnitude == 0 && negative) &&
        magnitude < (std::uint64_t{1} << 62)) {
      return negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
    }
    const std::uint64_t choice = bits.next64();
    strip = static_cast<unsigned>(choice & 0xFFU);
    negative = ((choice >> 8) & 1U) != 0;
    word = bits.next64();
  }
}

bool DiscreteGaussian::propose(RandomBits& bits, unsigned strip, std::uint64_t word, std::uint64_t& magnitude) const {
  if (strip != 0) {
    magnitude = draw_below(bits, width_[strip], word);
    return magnitude < certain_[strip] || below_curve(bits, strip, 0, magnitude);
  }
  // Tail: count leading coin flips for the block, then place m inside it.
  unsigned block = 0;
  for (std::uint64_t coins = word; block < 2000;) {
    if ((coins & 1U) == 0) break;
    ++block;
    coins >>= 1;
    if (block % 63 == 0) coins = bits.next64();
  }
  magnitude = draw_below(bits, tail_width_, bits.next64());
  const UInt128 placed = static_cast<UInt128>(width_[1]) + static_cast<UInt128>(block) * tail_width_ + magnitude;
  if (placed >= (UInt128{1} << 62)) return false;
  magnitude = static_cast<std::uint64_t>(placed);
  return below_curve(bits, 0, block, magnitude);
}

bool DiscreteGaussian::below_curve(RandomBits& bits, unsigned strip, unsigned block, std::uint64_t magnitude) const {
  const std::uint64_t first_bits = bits.next64();
  const double fraction = static_cast<double>(first_bits) * 0x1p-64;
  const double strip_height =
      strip != 0 ? area_ / static_cast<double>(width_[strip])
                 : std::ldexp(area_ / (2.0 * static_cast<double>(tail_width_)), -static_cast<int>(block));
  const double y = (strip != 0 ? height_[strip - 1] : 0.0) + fraction * strip_height;
  const double m = static_cast<double>(magnitude);
  const double curve = std::exp(-m * m * inverse_two_variance_);
  // y is known to within the first 64 random bits and rounding; both are far inside the margin.
  const double margin = kUndecided * (y + strip_height + curve);
  if (y + margin < curve) return true;
  if (y - margin > curve) return false;
  return below_curve_exactly(bits, strip, block, magnitude, first_bits);
}

bool DiscreteGaussian::below_curve_exactly(RandomBits& bits, unsigned strip, unsigned block, std::uint64_t magnitude,
                                           std::uint64_t first_digit) const {
  const StackErasedAtEnd<kExactStack> stack_erased;
  return compare_exactly([&bits] { return bits.next64(); }, strip, block, magnitude, first_digit);
}

[[gnu::noinline]] bool DiscreteGaussian::compare_exactly(const std::function<std::uint64_t()>& next_digit,
                                                         unsigned strip, unsigned block, std::uint64_t magnitude,
                                                         std::uint64_t first_digit) const {
  ErasedVector<std::uint64_t> digits{first_digit};  // y's random digits, most significant first
  for (mpfr_prec_t precision = 192;; precision *= 2) {
    while (static_cast<mpfr_prec_t>(64 * digits.size()) < precision) digits.push_back(next_digit());
    // y < e^(-x) is decided as y e^x < 1: everything is positive and grows, so that rounding down throughout gives the
    // lower end of an interval and rounding up the upper end; the unknown digits widen that by one unit in the last
    // place.
    bool below[2];
    for (const bool upper : {false, true}) {
      const mpfr_rnd_t towards = upper ? MPFR_RNDU : MPFR_RNDD;
      Real y(precision);
      Real term(precision);
      mpfr_set_ui(y, upper ? 1 : 0, towards);
      for (std::size_t i = digits.size(); i-- > 0;) {
        mpfr_add_ui(y, y, digits[i], towards);
        mpfr_div_2ui(y, y, 64, towards);
      }
      if (strip != 0) {
        mpfr_div_ui(y, y, width_[strip], towards);
        for (unsigned l = 1; l < strip; ++l) {
          mpfr_set_ui(term, 1, towards);
          mpfr_div_ui(term, term, width_[l], towards);
          mpfr_add(y, y, term, towards);
        }
      } else {
        mpfr_div_ui(y, y, tail_width_, towards);
        mpfr_div_2ui(y, y, block + 1, towards);
      }
      mpfr_mul_d(y, y, area_, towards);

      Real x(precision);  // (m / sigma)^2 / 2
      mpfr_set_ui(x, magnitude, towards);
      mpfr_div_d(x, x, sigma_, towards);
      mpfr_sqr(x, x, towards);
      mpfr_div_2ui(x, x, 1, towards);
      Real curve(precision);
      bound_exponential(curve, x, term, towards);
      mpfr_mul(y, y, curve, towards);
      below[upper ? 1 : 0] = mpfr_cmp_ui(y, 1) < 0;
    }
    if (below[1]) return true;    // even the upper end is below
    if (!below[0]) return false;  // even the lower end is not
  }
}

}  // namespace rivulet::kernel
