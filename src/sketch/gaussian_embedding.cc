#include "sketch/gaussian_embedding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sketch/normal_quantile.h"
#include "sketch/philox.h"

namespace rivulet::sketch {
namespace {

constexpr std::size_t kLanes = 8;
using PartialSums = std::array<double, kLanes>;
static_assert(kPieceLength % kLanes == 0);

void add_products(std::span<const float> entries, const double* v, PartialSums& sums) {
  PartialSums local = sums;
  std::size_t i = 0;
  for (; i + kLanes <= entries.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      local[lane] += static_cast<double>(entries[i + lane]) * v[i + lane];
    }
  }
  for (std::size_t lane = 0; i + lane < entries.size(); ++lane) {
    local[lane] += static_cast<double>(entries[i + lane]) * v[i + lane];
  }
  sums = local;
}

double total(const PartialSums& sums) {
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

GaussianEmbedding::GaussianEmbedding(std::size_t rows, std::size_t columns, std::uint64_t seed,
                                     std::size_t column_memory)
    : rows_(rows),
      columns_(columns),
      seed_(seed),
      scale_(1.0 / std::sqrt(static_cast<double>(rows))),
      kept_columns_(std::min(columns, column_memory / sizeof(float) / rows)),
      kept_(std::make_unique_for_overwrite<float[]>(kept_columns_ * rows)) {
  for (std::size_t column = 0; column < kept_columns_; ++column) {
    for (std::size_t first = 0; first < rows_; first += kPieceLength) {
      make_piece(column, first, {kept_.get() + column * rows_ + first, std::min(kPieceLength, rows_ - first)});
    }
  }
}

void GaussianEmbedding::make_piece(std::size_t column, std::size_t first, std::span<float> out) const {
  std::array<std::uint32_t, kPieceLength> words;
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const PhiloxCounter group = column_words(seed_, WordStream::gaussian, static_cast<std::uint32_t>(column),
                                             static_cast<std::uint32_t>((first + i) / 4));
    std::copy(group.begin(), group.end(), words.begin() + static_cast<std::ptrdiff_t>(i));
  }
  normal_entries(std::span(words).first(out.size()), scale_, out);
}

template <typename Use>
void GaussianEmbedding::for_each_piece(std::size_t column, Use use) const {
  if (column < kept_columns_) {
    use(std::size_t{0}, std::span<const float>(kept_.get() + column * rows_, rows_));
    return;
  }
  std::array<float, kPieceLength> entries;
  for (std::size_t first = 0; first < rows_; first += kPieceLength) {
    const std::span<float> piece = std::span(entries).first(std::min(kPieceLength, rows_ - first));
    make_piece(column, first, piece);
    use(first, std::span<const float>(piece));
  }
}

void GaussianEmbedding::add_column(std::size_t column, double factor, std::span<double> out) const {
  for_each_piece(column, [&](std::size_t first, std::span<const float> entries) {
    double* const sums = out.data() + first;
    for (std::size_t i = 0; i < entries.size(); ++i) sums[i] += factor * static_cast<double>(entries[i]);
  });
}

double GaussianEmbedding::column_dot(std::size_t column, std::span<const double> v) const {
  PartialSums sums{};
  for_each_piece(column, [&](std::size_t first, std::span<const float> entries) {
    add_products(entries, v.data() + first, sums);
  });
  return total(sums);
}

}  // namespace rivulet::sketch
