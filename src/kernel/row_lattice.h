// Kernel steps 1 and 2: bound and quantise. A raw row in the user's units becomes an integer vector u = (x, s y) on the
// lattice 2^-bits, or the zero vector when the row cannot be used.
#pragma once

#include <span>
#include <vector>

#include "kernel/hot_loops.h"
#include "kernel/inside.h"
#include "privacy/sensitivity.h"
#include "rivulet/domain.h"
#include "rivulet/schema.h"

namespace rivulet::kernel {

class RowLattice {
 public:
  // Throws RequestError when the domain names a value that rows of this schema do not have.
  RowLattice(const Schema& schema, const privacy::LatticeLimits& limits, Domain domain = {});

  // Entries of u: the schema's coordinates, then the target.
  [[nodiscard]] std::size_t order() const { return dimension_ + 1; }
  [[nodiscard]] std::size_t row_width() const { return lo_.size(); }
  // Largest absolute value of an entry.
  [[nodiscard]] const privacy::LatticeLimits& limits() const { return limits_; }

  // Writes u as integer-valued doubles into lattice (order() of them); `values` has row_width() entries. Returns false,
  // with u = 0, when a value is missing (NaN) or infinite, the row lies outside the domain, or the integer check fails.
  // Not thread-safe on one `scratch`.
  bool quantise(std::span<const double> values, double target, std::span<double> lattice,
                std::vector<double>& scratch) const;

  // The check that sensitivity rests on, in integer arithmetic: ||x||^2 <= 2^(2 bits) and |s y| <= target_limit.
  [[nodiscard]] bool within_limits(std::int64_t covariate_norm_squared, std::int64_t target) const;

 private:
  // `box` are the supplied values in box units.
  [[nodiscard]] bool inside_domain(std::span<const double> values, double target, const double* box) const;

  privacy::LatticeLimits limits_;
  std::size_t dimension_;
  bool intercept_;
  bool may_need_clipping_;  // false when the box itself respects the norm limit
  double norm_limit_;
  Domain domain_;
  double covariate_factor_;  // box units to lattice units
  double target_factor_;
  double target_lo_;
  double target_hi_;
  double target_centre_;
  std::vector<double> lo_;
  std::vector<double> hi_;
  std::vector<double> centre_;
  std::vector<double> inverse_half_range_;
};

}  // namespace rivulet::kernel
