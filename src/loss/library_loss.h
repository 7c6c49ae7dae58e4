// The losses of this library, told apart from a user's own: the kernel may ask them about many rows at once, and knows
// how far their derivatives are from the exact ones.
#pragma once

#include <cstddef>
#include <string>

#include "rivulet/loss.h"

namespace rivulet::loss {

// Of every library loss: |derivative(p, y) - phi'(p, y)| <= 2^-53 (smoothness(r) (2 r + 1) + 32 lipschitz(r)) for
// |p| <= r and |y| <= 1, where smoothness(r + 2^-20 (r + 1)) is finite and stands for smoothness(r)
// (tests/loss/derivative_rounding_test.cc).
class LibraryLoss : public Loss {
 public:
  // out[i] = derivative(predictions[i], y[i]), the same bits; no answer depends on another row's arguments.
  virtual void derivatives(const double* predictions, const double* y, std::size_t count, double* out) const = 0;

 protected:
  LibraryLoss() = default;
  LibraryLoss(const LibraryLoss&) = default;
  LibraryLoss& operator=(const LibraryLoss&) = default;
};

// derivatives() by `One`'s derivative(), without a virtual call for each.
template <class One>
class LossOfMany : public LibraryLoss {
 public:
  void derivatives(const double* predictions, const double* y, std::size_t count, double* out) const override {
    const One& one = static_cast<const One&>(*this);
    for (std::size_t i = 0; i < count; ++i) out[i] = one.One::derivative(predictions[i], y[i]);
  }
};

// The one number a loss may have.

inline bool positive_finite(double value) {
  return value > 0.0 && value - value == 0.0;
}

// Throws RequestError naming "loss" unless `good`: "huber: the threshold is -1; accepted: ...".
void require_parameter(bool good, const std::string& loss, const std::string& what, double value,
                       const std::string& accepted);

}  // namespace rivulet::loss
