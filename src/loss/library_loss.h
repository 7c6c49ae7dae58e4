// The losses of this library, told apart from a user's own: the kernel may ask them about many rows at once, and knows
// how far their derivatives are from the exact ones.
#pragma once

#include <cstddef>

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

}  // namespace rivulet::loss
