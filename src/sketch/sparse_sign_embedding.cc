#include "sketch/sparse_sign_embedding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sketch/philox.h"

namespace rivulet::sketch {
namespace {

std::vector<std::uint32_t> block_starts(std::size_t rows, std::size_t blocks) {
  std::vector<std::uint32_t> starts(blocks + 1);
  for (std::size_t block = 0; block <= blocks; ++block) {
    starts[block] = static_cast<std::uint32_t>(rows * block / blocks);
  }
  return starts;
}

}  // namespace

SparseSignEmbedding::SparseSignEmbedding(std::size_t rows, std::size_t columns, unsigned column_weight,
                                         std::uint64_t seed, std::size_t column_memory)
    : rows_(rows),
      columns_(columns),
      weight_(column_weight),
      seed_(seed),
      scale_(1.0 / std::sqrt(static_cast<double>(column_weight))),
      first_rows_(block_starts(rows, column_weight)),
      kept_columns_(std::min(columns, column_memory / sizeof(Entry) / column_weight)),
      kept_(std::make_unique_for_overwrite<Entry[]>(kept_columns_ * weight_)) {
  for (std::size_t column = 0; column < kept_columns_; ++column) make_column(column, kept_.get() + column * weight_);
}

// One word an entry: the lowest bit is the sign, the other 31 choose the row.
void SparseSignEmbedding::make_column(std::size_t column, Entry* out) const {
  for (std::size_t first = 0; first < weight_; first += 4) {
    const PhiloxCounter words = column_words(seed_, WordStream::sparse_sign, static_cast<std::uint32_t>(column),
                                             static_cast<std::uint32_t>(first / 4));
    const std::size_t count = std::min<std::size_t>(4, weight_ - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t start = first_rows_[first + i];
      const std::uint64_t size = first_rows_[first + i + 1] - start;
      const std::uint64_t row = start + ((words[i] >> 1) * size >> 31);
      out[first + i] = static_cast<Entry>(2 * row + (words[i] & 1));
    }
  }
}

const SparseSignEmbedding::Entry* SparseSignEmbedding::entries(std::size_t column,
                                                               std::span<Entry, kLargestWeight> scratch) const {
  if (column < kept_columns_) return kept_.get() + column * weight_;
  make_column(column, scratch.data());
  return scratch.data();
}

void SparseSignEmbedding::add_column(std::size_t column, double factor, std::span<double> out) const {
  std::array<Entry, kLargestWeight> scratch;
  const Entry* const entry = entries(column, scratch);
  const std::array<double, 2> signed_factor = {factor * scale_, -(factor * scale_)};
  for (std::size_t i = 0; i < weight_; ++i) out[entry[i] >> 1] += signed_factor[entry[i] & 1];
}

double SparseSignEmbedding::column_dot(std::size_t column, std::span<const double> v) const {
  std::array<Entry, kLargestWeight> scratch;
  const Entry* const entry = entries(column, scratch);
  double sum = 0.0;
  for (std::size_t i = 0; i < weight_; ++i) {
    const double value = v[entry[i] >> 1];
    sum += (entry[i] & 1) != 0 ? -value : value;
  }
  return scale_ * sum;
}

// v and -v interleaved: an entry is then the index of its own term, and the loop has neither sign nor shift.
void SparseSignEmbedding::apply_transpose(std::span<const double> v, std::span<double> out) const {
  std::vector<double> terms(2 * rows_);
  for (std::size_t row = 0; row < rows_; ++row) {
    terms[2 * row] = v[row];
    terms[2 * row + 1] = -v[row];
  }
  std::array<Entry, kLargestWeight> scratch;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Entry* const entry = entries(column, scratch);
    double sum = 0.0;
    for (std::size_t i = 0; i < weight_; ++i) sum += terms[entry[i]];
    out[column] = scale_ * sum;
  }
}

}  // namespace rivulet::sketch
