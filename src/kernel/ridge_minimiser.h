// The minimiser behind output perturbation, as privacy/erm_minimiser.h bounds it: a given number of projected gradient
// steps from the origin over kept rows. Whatever the rows, it makes as many and never fails. The result is NOT private;
// it goes from here to the noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "kernel/inside.h"
#include "kernel/row_block.h"
#include "loss/library_loss.h"
#include "privacy/erm_minimiser.h"

namespace rivulet::kernel {

class RidgeMinimiser {
 public:
  // For rows of problem.dimension + 1 entries in units of 2^-row_bits.
  RidgeMinimiser(const privacy::MinimiserProblem& problem, const loss::LibraryLoss& loss, unsigned row_bits);

  // `block` is memory to work in, for rows of this order. problem.rows of `rows` count.
  std::vector<double> minimise(std::span<const std::int32_t> rows, std::uint64_t iterations, RowBlock& block);

 private:
  // sums_ = the sum over all rows of c x, exactly; c is phi' in units of 2^-46 L.
  void sum_gradients(std::span<const std::int32_t> rows, std::span<const double> theta, RowBlock& block);
  void project(std::span<double> theta) const;

  privacy::MinimiserProblem problem_;
  const loss::LibraryLoss& loss_;
  double keep_;
  double move_;
  double coefficient_factor_;
  std::vector<double> high_;  // c = high 2^23 + low, of a block's rows
  std::vector<double> low_;
  std::vector<std::int64_t> high_sums_;
  std::vector<std::int64_t> low_sums_;
  std::vector<Int128> sums_;
};

}  // namespace rivulet::kernel
