// Cholesky factorisation, in two forms: a Cholesky to solve with, and triangles that are used as matrices. Results
// depend on the arguments alone: not on earlier calls, not on where the memory lies, not on the size of the machine's
// caches. The forms sum in different orders, and so differ in the last digits; models rest on both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rivulet::solve {

// Of Q + shift I, with its memory kept between calls: the inner loop of the solvers for L2 balls, which run once a
// release. Up to dimension 48 only the first invert() allocates; above, Eigen may.
class Cholesky {
 public:
  explicit Cholesky(std::size_t dimension);

  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  // Factors the symmetric matrix + shift I (dense, both halves; the lower one is not read). False when it is not
  // positive definite to working precision: a pivot at or below dimension * 2^-52 of the largest diagonal entry. The
  // other members may be called only after true.
  [[nodiscard]] bool factor(std::span<const double> matrix, double shift);

  // out = (matrix + shift I)^-1 right_side. They may be the same memory.
  void solve(std::span<const double> right_side, std::span<double> out) const;
  // out = L^-1 right_side for the factor L L^T, so that ||out||^2 = right_side^T (matrix + shift I)^-1 right_side.
  void solve_half(std::span<const double> right_side, std::span<double> out) const;
  // out = L^-T right_side: the other half of solve().
  void solve_other_half(std::span<const double> right_side, std::span<double> out) const;
  // The whole inverse, both halves.
  void invert(std::span<double> out);

 private:
  bool factor_small(double smallest_pivot);
  bool factor_blocked(double smallest_pivot);

  std::size_t dimension_;
  // Row k holds, from its diagonal on, column k of L: Eigen's column-major lower triangle and a row-major upper one are
  // the same memory.
  std::vector<double> factor_;
  std::vector<double> inverse_diagonal_;
  std::vector<double> scratch_;
};

// Writes L with L L^T = matrix + shift I (dense, symmetric), row by row with zeros above the diagonal. False when a
// pivot is not positive.
bool lower_factor(std::span<const double> matrix, double shift, std::vector<double>& factor);
// out = L v, and out = L^T v.
void multiply_lower(std::span<const double> factor, std::span<const double> v, std::span<double> out);
void multiply_lower_transposed(std::span<const double> factor, std::span<const double> v, std::span<double> out);
// v becomes L^-1 v, or L^-T v.
void solve_lower(std::span<const double> factor, std::span<double> v);
void solve_lower_transposed(std::span<const double> factor, std::span<double> v);

}  // namespace rivulet::solve
