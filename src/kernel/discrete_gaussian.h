// Exact samples from the discrete Gaussian: P(Z = z) proportional to exp(-z^2 / (2 sigma^2)), z an integer.
//
// Method: rejection from equal-area strips (a ziggurat on the integers). For the magnitude m >= 0 with weight
// f(m) = exp(-m^2/(2 sigma^2)) there are 255 rectangles and one tail, each chosen with probability 1/256:
//   rectangle i: m uniform in [0, W_i), y uniform in [Y_{i-1}, Y_i), with integer widths W_i and
//   Y_i - Y_{i-1} = A / W_i;
//   tail: block b with probability 2^-(b+1), m uniform in a block of width w, y uniform in [0, 2^-b A/(2w)).
// Every strip has area exactly A, so (m, y) is uniform on their union, which covers the graph of f; accepting exactly
// when y < f(m) leaves m with weight exactly f(m). A random sign is attached and "minus zero" rejected.
//
// Exactness. Strip, block, sign and m come from whole random bits (m by Lemire's unbiased multiplication). The
// comparison y < f(m) is decided without arithmetic when m < K_i (f(m) >= Y_i there); else in double precision when the
// two sides differ by more than 2^-36 relative, far above the rounding error; else in MPFR with as many random bits of
// y and as much precision as it takes. No floating-point rounding ever decides a sample. Widths are rounded outward by
// 2^-30 relative and one unit, and heights above 0.999 are taken for 0.999 or 1, whichever is safe, so coverage does
// not depend on the accuracy of log and sqrt either.
//
// Draws with |z| >= 2^62 are redrawn, and the tail ends after 2000 blocks. For sigma <= 2^57 the first has probability
// below exp(-500), the second below 2^-2000; the accountant refuses plans whose argument needs draws of 2^62 and more.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "kernel/random_bits.h"

namespace rivulet::kernel {

class DiscreteGaussian {
 public:
  // 1 <= sigma <= 2^57; the value of the double is taken exactly. Set-up takes about half a millisecond.
  explicit DiscreteGaussian(double sigma);

  [[nodiscard]] double sigma() const { return sigma_; }

  // Fills `out` with independent draws.
  void sample(RandomBits& bits, std::span<std::int64_t> out) const;

 private:
  friend class DiscreteGaussianPeer;  // tests the exact comparison, which statistics cannot reach

  static constexpr std::size_t kStrips = 256;  // number 0 is the tail

  void lay_strips(double area);
  [[nodiscard]] bool covers_peak(double area);
  // Runs proposals until one is accepted, starting with `strip` and the random word of the fast path.
  [[nodiscard]] std::int64_t sample_slowly(RandomBits& bits, unsigned strip, bool negative, std::uint64_t word) const;
  // One proposal; false when it is rejected.
  [[nodiscard]] bool propose(RandomBits& bits, unsigned strip, std::uint64_t word, std::uint64_t& magnitude) const;
  [[nodiscard]] bool below_curve(RandomBits& bits, unsigned strip, unsigned block, std::uint64_t magnitude) const;
  [[nodiscard]] bool below_curve_exactly(RandomBits& bits, unsigned strip, unsigned block, std::uint64_t magnitude,
                                         std::uint64_t first_digit) const;
  // The same with y's further digits of 64 bits from anywhere.
  [[nodiscard]] bool compare_exactly(const std::function<std::uint64_t()>& next_digit, unsigned strip, unsigned block,
                                     std::uint64_t magnitude, std::uint64_t first_digit) const;

  double sigma_;
  double inverse_two_variance_;
  double area_ = 0.0;                             // A
  std::uint64_t tail_width_ = 0;                  // w
  std::array<std::uint64_t, kStrips> width_{};    // W_i
  std::array<std::uint64_t, kStrips> certain_{};  // K_i: magnitudes 1..K_i - 1 are accepted outright
  std::array<double, kStrips + 1> height_{};      // Y_i, rounded; exact value A * sum of 1/W
};

}  // namespace rivulet::kernel
