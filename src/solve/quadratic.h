// The noisy least-squares objective behind the wall: theta^T Q theta - 2 q^T theta, up to a constant the loss of the
// stream.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rivulet::solve {

// A view: the caller owns the memory. `gram` is a dense symmetric dimension x dimension matrix (both halves filled).
// Because of the privacy noise it may be indefinite.
struct Quadratic {
  std::size_t dimension = 0;
  std::span<const double> gram;
  std::span<const double> cross;

  // theta^T Q theta - 2 q^T theta.
  [[nodiscard]] double value(std::span<const double> theta) const;
  // out = Q theta.
  void multiply(std::span<const double> theta, std::span<double> out) const;
  // out = 2 (Q theta - q): the paper's private gradient function g_t.
  void gradient(std::span<const double> theta, std::span<double> out) const;
};

}  // namespace rivulet::solve
