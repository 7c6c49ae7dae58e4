#include "kernel/moment_sum.h"

#include <algorithm>
#include <stdexcept>

#include "kernel/hot_loops.h"
#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

// Enough rows for full speed of the rank update.
std::size_t capacity_for(std::size_t order) {
  return order < 24 ? 64 : 256;
}

// Below this many rows the plain loop is faster than setting up a blocked product.
constexpr std::size_t kFewRows = 8;

// Entries are below 2^16 in magnitude, so 2^20 rows of products stay below 2^52.
constexpr unsigned kEntryBits = 16;
constexpr std::uint64_t kMostProductRows = std::uint64_t{1} << 20;

}  // namespace

MomentSum::MomentSum(std::size_t order)
    : order_(order),
      block_capacity_(capacity_for(order)),
      block_(block_capacity_ * order),
      products_(order * order),
      sums_(order * (order + 1) / 2, 0) {}

void MomentSum::commit_row() {
  ++rows_;
  if (++block_rows_ == block_capacity_) multiply_block();
}

void MomentSum::require_sound() const {
  if (broken_) throw Error("kernel: an earlier row failed while it was added; this stream cannot go on");
}

void MomentSum::multiply_block() {
  require_sound();
  if (block_rows_ < kFewRows) {
    for (std::size_t row = 0; row < block_rows_; ++row) {
      const double* u = block_.data() + row * order_;
      std::int64_t* sum = sums_.data();
      for (std::size_t column = 0; column < order_; ++column) {
        const double factor = u[column];
        for (std::size_t i = 0; i <= column; ++i) sum[i] += static_cast<std::int64_t>(u[i] * factor);
        sum += column + 1;
      }
    }
  } else {
    broken_ = true;  // until all of it is added: it may run out of memory halfway
    hot_loops().rank_update(block_.data(), order_, block_rows_, products_.data());
    broken_ = false;
    product_rows_ += block_rows_;
    if (product_rows_ + block_capacity_ > kMostProductRows) fold_products();
  }
  block_rows_ = 0;
}

void MomentSum::add_products(const std::vector<double>& products) {
  std::int64_t* sum = sums_.data();
  for (std::size_t column = 0; column < order_; ++column) {
    const double* product = products.data() + column * order_;
    for (std::size_t i = 0; i <= column; ++i) sum[i] += static_cast<std::int64_t>(product[i]);
    sum += column + 1;
  }
}

void MomentSum::fold_products() {
  if (product_rows_ == 0) return;
  add_products(products_);
  std::fill(products_.begin(), products_.end(), 0.0);
  product_rows_ = 0;
}

void MomentSum::merge(const MomentSum& other) {
  if (other.order_ != order_) throw std::invalid_argument("MomentSum: different orders");
  require_sound();
  other.require_sound();
  for (std::size_t row = 0; row < other.block_rows_; ++row) {
    std::copy_n(other.block_.data() + row * order_, order_, next_row().data());
    commit_row();
  }
  if (other.product_rows_ != 0) add_products(other.products_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  rows_ += other.rows_ - other.block_rows_;
}

void MomentSum::clear() {
  rows_ = 0;
  block_rows_ = 0;
  if (product_rows_ != 0) std::fill(products_.begin(), products_.end(), 0.0);
  product_rows_ = 0;
  std::fill(sums_.begin(), sums_.end(), 0);
}

void MomentSum::save(ByteWriter& out) {
  multiply_block();
  fold_products();
  out.u64(rows_);
  out.all(sums_);
}

void MomentSum::restore(ByteReader& in) {
  clear();
  rows_ = in.u64();
  in.all(sums_, sums_.size());
  for (const Int128 sum : sums_) {
    const Int128 most = static_cast<Int128>(rows_) << (2 * kEntryBits);
    if (sum < -most || sum > most) in.damaged("a sum is larger than its rows can make it");
  }
}

void MomentSum::write(const privacy::ReleaseLayout& layout, std::span<std::int64_t> out) {
  multiply_block();
  fold_products();
  const std::int64_t* sum = sums_.data();
  const std::size_t dimension = layout.dimension;
  std::size_t above = layout.offdiagonal_begin();
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i < column; ++i) out[above++] = sum[i];
    out[layout.diagonal_begin() + column] = sum[column];
    sum += column + 1;
  }
  for (std::size_t i = 0; i < dimension; ++i) out[layout.cross_begin() + i] = sum[i];
  if (layout.has_target_square) out[layout.target_square()] = sum[dimension];
}

}  // namespace rivulet::kernel
