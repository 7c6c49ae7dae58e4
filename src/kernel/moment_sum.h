// Kernel step 3: sum. The exact integer matrix sum u u^T of a set of rows.
//
// Addition of integers is associative, so any split of rows over threads or machines, merged in any order, gives the
// same bits. Rows are gathered in blocks and multiplied in integer-valued doubles, exact because they are folded into
// 64-bit integers before a sum could reach 2^53; those are folded into 128-bit integers before they could reach 2^63.
// Up to kMostRows rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "kernel/inside.h"
#include "privacy/mechanism_plan.h"

namespace rivulet::kernel {

class MomentSum {
 public:
  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 62;

  explicit MomentSum(std::size_t order);

  // Where to write the next row (order() integer-valued doubles); commit_row() then adds it.
  std::span<double> next_row() {
    require_sound();
    return {block_.data() + block_rows_ * order_, order_};
  }
  void commit_row();
  // Adds the other's rows to this; together at most kMostRows.
  void merge(const MomentSum& other);
  void clear();

  [[nodiscard]] std::size_t order() const { return order_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Writes the sums in the order of the release layout.
  void write(const privacy::ReleaseLayout& layout, std::span<Int128> out);

  // The exact sums so far: sensitive. Saving changes nothing that can be observed. restore() throws DamagedFile when
  // the sums are not those of so many rows.
  void save(ByteWriter& out);
  void restore(ByteReader& in);
  // Whether rows within these limits could have made the sums just restored: no square is negative, none larger than
  // the limits allow, no product larger than its squares do.
  [[nodiscard]] bool could_come_from(const privacy::LatticeLimits& limits) const;

 private:
  // Throws Error when a product failed halfway: what is in products_ then is anything, and stays here.
  void require_sound() const;
  // The rows gathered so far, into `products_` or, when they are few, straight into `sums_`.
  void multiply_block();
  // `products_` into `sums_`.
  void fold_products();
  void add_products(const std::vector<double>& products);
  // Before so many rows are added to sums_, where they have room after it. `wide` must be there when it may be needed.
  void make_room(std::uint64_t rows);
  void make_wide();
  // Everything into one place; what is read then is sums_[i] + wide_[i].
  void settle();
  [[nodiscard]] Int128 total(std::size_t i) const { return sums_[i] + (wide_.empty() ? 0 : wide_[i]); }

  std::size_t order_;
  std::uint64_t rows_ = 0;
  std::size_t block_rows_ = 0;
  std::size_t block_capacity_;
  std::vector<double> block_;       // rows, one after another
  std::uint64_t product_rows_ = 0;  // rows in products_
  std::vector<double> products_;    // order x order, upper triangle
  std::uint64_t narrow_rows_ = 0;   // rows in sums_
  std::vector<std::int64_t> sums_;  // upper triangle by columns: (0,0), (0,1), (1,1), (0,2), ...
  std::vector<Int128> wide_;        // the same of earlier rows, once there are too many for sums_; empty before
  bool broken_ = false;
};

}  // namespace rivulet::kernel
