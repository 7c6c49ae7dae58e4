#include "sketch/public_random.h"

#include <array>
#include <cmath>

#include "base/portable_math.h"

namespace rivulet::sketch {
namespace {

// Wichura's split: a ratio of polynomials in q^2 up to here, in sqrt(-log p) beyond.
constexpr double kCentre = 0.425;

// p - 1/2 for p = (word + 1/2) / 2^32, exactly. Through a signed integer, which processors convert fastest.
double centred(std::uint32_t word) {
  return (static_cast<double>(static_cast<std::int32_t>(word ^ 0x80000000U)) + 0.5) * 0x1p-32;
}

// For |q| <= kCentre.
double centre_quantile(double q) {
  const double r = 0.180625 - q * q;
  const double numerator =
      (((((((2.5090809287301226727e+3 * r + 3.3430575583588128105e+4) * r + 6.7265770927008700853e+4) * r +
           4.5921953931549871457e+4) *
              r +
          1.3731693765509461125e+4) *
             r +
         1.9715909503065514427e+3) *
            r +
        1.3314166789178437745e+2) *
           r +
       3.3871328727963666080e+0) *
      q;
  const double denominator =
      ((((((5.2264952788528545610e+3 * r + 2.8729085735721942674e+4) * r + 3.9307895800092710610e+4) * r +
          2.1213794301586595867e+4) *
             r +
         5.3941960214247511077e+3) *
            r +
        6.8718700749205790830e+2) *
           r +
       4.2313330701600911252e+1) *
          r +
      1.0;
  return numerator / denominator;
}

// For |q| > kCentre. AS 241 has a third range below p = e^-25, which no cell of 2^-32 reaches.
double tail_quantile(double q) {
  const double r = std::sqrt(-portable_log(0.5 - std::fabs(q))) - 1.6;
  const double numerator =
      ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r +
          1.27045825245236838258e+0) *
             r +
         3.64784832476320460504e+0) *
            r +
        5.76949722146069140550e+0) *
           r +
       4.63033784615654529590e+0) *
          r +
      1.42343711074968357734e+0;
  const double denominator =
      ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r +
          1.48103976427480074590e-1) *
             r +
         6.89767334985100004550e-1) *
            r +
        1.67638483018380384940e+0) *
           r +
       2.05319162663775882187e+0) *
          r +
      1.0;
  return std::copysign(numerator / denominator, q);
}

}  // namespace

double normal_quantile(std::uint32_t word) {
  const double q = centred(word);
  return std::fabs(q) <= kCentre ? centre_quantile(q) : tail_quantile(q);
}

// The centre's formula for every word, in a loop without a branch; then the tails, about one word in seven, again.
void normal_entries(std::span<const std::uint32_t> words, double scale, std::span<float> out) {
  std::array<std::uint32_t, kPieceLength> tails;
  std::size_t tail_count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out[i] = static_cast<float>(scale * centre_quantile(centred(words[i])));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    tails[tail_count] = static_cast<std::uint32_t>(i);
    tail_count += std::fabs(centred(words[i])) > kCentre ? 1 : 0;
  }
  for (std::size_t t = 0; t < tail_count; ++t) {
    out[tails[t]] = static_cast<float>(scale * tail_quantile(centred(words[tails[t]])));
  }
}

}  // namespace rivulet::sketch
