// A sum of non-negative numbers that is never below the true one, and above it by a part in 2^90 a term at most: twice
// the digits of a double, with what those lose added back.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace rivulet::privacy {

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

}  // namespace rivulet::privacy
