#include "kernel/moment_sum.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

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
// And 2^30 rows of products below 2^62.
constexpr std::uint64_t kMostNarrowRows = std::uint64_t{1} << 30;

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
  broken_ = true;  // until all of it is added: it may run out of memory halfway
  if (block_rows_ < kFewRows) {
    make_room(block_rows_);
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
    hot_loops().rank_update(block_.data(), order_, block_rows_, products_.data());
    product_rows_ += block_rows_;
    if (product_rows_ + block_capacity_ > kMostProductRows) fold_products();
  }
  block_rows_ = 0;
  broken_ = false;
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
  make_room(product_rows_);
  add_products(products_);
  std::fill(products_.begin(), products_.end(), 0.0);
  product_rows_ = 0;
}

void MomentSum::make_wide() {
  if (wide_.empty()) wide_.assign(sums_.size(), 0);
}

void MomentSum::make_room(std::uint64_t rows) {
  if (narrow_rows_ + rows > kMostNarrowRows) {
    make_wide();
    for (std::size_t i = 0; i < sums_.size(); ++i) wide_[i] += sums_[i];
    std::fill(sums_.begin(), sums_.end(), 0);
    narrow_rows_ = 0;
  }
  narrow_rows_ += rows;
}

void MomentSum::settle() {
  multiply_block();
  fold_products();
}

void MomentSum::merge(const MomentSum& other) {
  if (other.order_ != order_) throw std::invalid_argument("MomentSum: different orders");
  require_sound();
  other.require_sound();
  if (rows_ + other.rows_ > kMostNarrowRows) make_wide();
  for (std::size_t row = 0; row < other.block_rows_; ++row) {
    std::copy_n(other.block_.data() + row * order_, order_, next_row().data());
    commit_row();
  }
  if (other.product_rows_ != 0) {
    make_room(other.product_rows_);
    add_products(other.products_);
  }
  make_room(other.narrow_rows_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  for (std::size_t i = 0; i < other.wide_.size(); ++i) wide_[i] += other.wide_[i];
  rows_ += other.rows_ - other.block_rows_;
}

void MomentSum::clear() {
  rows_ = 0;
  block_rows_ = 0;
  if (product_rows_ != 0) std::fill(products_.begin(), products_.end(), 0.0);
  product_rows_ = 0;
  std::fill(sums_.begin(), sums_.end(), 0);
  narrow_rows_ = 0;
  std::fill(wide_.begin(), wide_.end(), 0);
  wide_.clear();
}

// Rows decide how wide the numbers are.
void MomentSum::save(ByteWriter& out) {
  settle();
  out.u64(rows_);
  if (rows_ <= kMostNarrowRows) return out.all(sums_);
  make_wide();
  for (std::size_t i = 0; i < sums_.size(); ++i) wide_[i] += std::exchange(sums_[i], 0);
  narrow_rows_ = 0;
  out.all(wide_);
}

void MomentSum::restore(ByteReader& in) {
  clear();
  rows_ = in.u64();
  if (rows_ > kMostRows) in.damaged("it has more rows than any can have");
  if (rows_ <= kMostNarrowRows) {
    in.all(sums_, sums_.size());
    narrow_rows_ = rows_;
  } else {
    in.all(wide_, sums_.size(), 126);
  }
  const Int128 most = static_cast<Int128>(rows_) << (2 * kEntryBits);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (total(i) < -most || total(i) > most) in.damaged("a sum is larger than its rows can make it");
  }
}

bool MomentSum::could_come_from(const privacy::LatticeLimits& limits) const {
  const auto square = [this](std::size_t i) { return total(i * (i + 3) / 2); };
  const auto rows = static_cast<Int128>(rows_);
  Int128 covariates = 0;
  for (std::size_t i = 0; i < order_; ++i) {
    if (square(i) < 0) return false;
    if (i + 1 < order_) covariates += square(i);
    for (std::size_t j = 0; j < i; ++j) {
      const Int128 twice = 2 * total(i * (i + 1) / 2 + j);
      const Int128 most = square(i) + square(j);
      if (twice > most || twice < -most) return false;
    }
  }
  return covariates <= rows * limits.covariate_norm_squared() &&
         square(order_ - 1) <= rows * limits.target_limit * limits.target_limit;
}

void MomentSum::write(const privacy::ReleaseLayout& layout, std::span<Int128> out) {
  settle();
  const std::size_t dimension = layout.dimension;
  std::size_t above = layout.offdiagonal_begin();
  std::size_t begin = 0;
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i < column; ++i) out[above++] = total(begin + i);
    out[layout.diagonal_begin() + column] = total(begin + column);
    begin += column + 1;
  }
  for (std::size_t i = 0; i < dimension; ++i) out[layout.cross_begin() + i] = total(begin + i);
  if (layout.has_target_square) out[layout.target_square()] = total(begin + dimension);
}

}  // namespace rivulet::kernel
