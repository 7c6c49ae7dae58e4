// Kernel steps 1 and 2: bound and quantise. A raw row in the user's units becomes an integer vector u = (x, s y) on the
// lattice 2^-bits, or the zero vector when the row cannot be used. With a sketch x is first replaced by
// Phi x ||x|| / ||Phi x||, of the same length; what sensitivity rests on is the same check as without.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "kernel/hot_loops.h"
#include "kernel/inside.h"
#include "privacy/calibration.h"
#include "rivulet/domain.h"
#include "rivulet/schema.h"
#include "rivulet/sparse_row.h"

namespace rivulet::kernel {

// What became of a row.
enum class RowFate {
  used,
  distorted,  // used; the sketch had changed its length to less than half or more than twice
  unusable,   // a zero row: a value is missing or infinite, it lies outside the domain, or the integer check failed
};

// Memory of one caller of quantise().
struct RowScratch {
  std::vector<double> box;                 // values in box units: all of them, or those of `coordinates`
  std::vector<std::uint32_t> coordinates;  // of a sparse row
  std::vector<double> values;              // a sparse row written out
  std::vector<double> image;               // Phi x
};

class RowLattice {
 public:
  // `sketch` is Phi, none for the row itself. Throws RequestError when the domain names a value that rows of this
  // schema do not have, or Phi is for rows of another dimension.
  RowLattice(const Schema& schema, const privacy::LatticeLimits& limits, Domain domain = {},
             std::shared_ptr<const LinearMap> sketch = nullptr);

  // Entries of u: the schema's coordinates, or the sketch's, then the target.
  [[nodiscard]] std::size_t order() const { return (sketch_ ? sketch_->rows() : dimension_) + 1; }
  [[nodiscard]] std::size_t row_width() const { return lo_.size(); }
  // Largest absolute value of an entry.
  [[nodiscard]] const privacy::LatticeLimits& limits() const { return limits_; }

  // Writes u as integer-valued doubles into lattice (order() of them); `values` has row_width() entries. u = 0 when the
  // row is unusable. Not thread-safe on one `scratch`.
  RowFate quantise(std::span<const double> values, double target, std::span<double> lattice, RowScratch& scratch) const;
  // The same u as for the row written out.
  RowFate quantise(const SparseRow& row, double target, std::span<double> lattice, RowScratch& scratch) const;

  // The check that sensitivity rests on, in integer arithmetic: ||x||^2 <= 2^(2 bits) and |s y| <= target_limit.
  [[nodiscard]] bool within_limits(std::int64_t covariate_norm_squared, std::int64_t target) const;

 private:
  // A row as the domain looks at it: its values, and their absolute sum in box units.
  struct Look;
  [[nodiscard]] bool inside_domain(const Look& row, double target) const;
  [[nodiscard]] double to_box(std::size_t value, double number) const;
  // scratch.coordinates and scratch.box of all coordinates that are not 0, ascending. False when the row is none.
  [[nodiscard]] bool read_sparse(const SparseRow& row, RowScratch& scratch) const;
  // Both end in the one place where numbers become the lattice's and are checked.
  RowFate quantise_box(const double* box, double target, std::span<double> lattice) const;
  RowFate quantise_image(double norm_squared, double target, std::span<double> lattice, RowScratch& scratch) const;
  bool truncate(const double* covariates, double factor, double target, std::span<double> lattice) const;

  privacy::LatticeLimits limits_;
  std::size_t dimension_;
  bool intercept_;
  bool may_need_clipping_;  // false when the box itself respects the norm limit
  double norm_limit_;
  Domain domain_;
  std::shared_ptr<const LinearMap> sketch_;
  double covariate_factor_;  // box units to lattice units
  double target_factor_;
  double target_lo_;
  double target_hi_;
  double target_centre_;
  bool classes_;  // the target is one of its bounds, or the row is unusable
  std::vector<double> lo_;
  std::vector<double> hi_;
  std::vector<double> centre_;
  std::vector<double> inverse_half_range_;
  // Of the supplied values that are not 0 in box units where a row does not mention them: positions and box units.
  std::vector<std::uint32_t> absent_positions_;
  std::vector<double> absent_box_;
};

}  // namespace rivulet::kernel
