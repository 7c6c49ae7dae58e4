// The ledger of PrivIncERM: what its noisy sums have spent of a budget, in squared Gaussian parameters.
#pragma once

#include <array>
#include <cstdint>

#include "privacy/upper_sum.h"

namespace rivulet::privacy {

// Whatever was added, in whatever order and however often, the exact sum of squares is at most total_mu^2. Charges are
// rounded up, by a part in 2^90 each: the schedules of erm_schedule.h fit to their last call, and one charge of exactly
// total_mu fits. Not thread-safe.
class ErmSpend {
 public:
  // Throws RequestError naming "epsilon" unless 1e-100 <= total_mu <= 1e100.
  explicit ErmSpend(double total_mu);

  // Charges `sums` noisy sums of parameter mu each. Throws Error, and charges nothing, when that would exceed the
  // total, or unless mu is positive and finite and 1 <= sums <= 2^53.
  void add(double mu, std::uint64_t sums = 1);
  // Whether add() would succeed.
  [[nodiscard]] bool can_add(double mu, std::uint64_t sums = 1) const;

  // What was spent, to go on from later. restore() throws Error unless it is what a ledger of the same total could
  // hold.
  [[nodiscard]] std::array<double, 2> spent() const { return spent_.parts(); }
  void restore(const std::array<double, 2>& spent);

  // sqrt of the sum of squares so far, rounded up, at most total_mu: all of it together is one Gaussian mechanism with
  // this parameter.
  [[nodiscard]] double spent_mu() const;
  // A mu that add() still takes, less than 1e-7 total_mu below the largest one; 0 when there is next to nothing left.
  [[nodiscard]] double remaining_mu() const;

 private:
  [[nodiscard]] UpperSum with(double mu, std::uint64_t sums) const;

  double total_mu_;
  UpperSum spent_;
};

}  // namespace rivulet::privacy
