#include "sketch/embedding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/linear_map.h"
#include "base/number_text.h"
#include "rivulet/error.h"
#include "rivulet/stream_options.h"
#include "sketch/public_random.h"

namespace rivulet {

std::string_view to_string(EmbeddingKind kind) {
  switch (kind) {
    case EmbeddingKind::sparse_sign:
      return "sparse-sign";
    case EmbeddingKind::gaussian:
      return "gaussian";
  }
  return "?";
}

EmbeddingKind parse_embedding(std::string_view word, std::string_view field) {
  for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    if (word == to_string(kind)) return kind;
  }
  throw RequestError(std::string(field), shown(word) + " is not known; accepted: sparse-sign, gaussian");
}

}  // namespace rivulet

namespace rivulet::sketch {
namespace {

// The paper's Phi: independent N(0, 1/m) entries.
//
// Entries are single-precision numbers, sums double: entry i of a column joins partial sum i mod 8 of a dot product,
// and the partial sums are added in pairs. The first columns are kept as far as the memory goes, 4 m bytes each; one
// that is not kept is made anew piece by piece, at about 10 ns an entry, and is the same numbers.
class GaussianEmbedding final : public LinearMap {
 public:
  GaussianEmbedding(std::size_t rows, std::size_t columns, std::uint64_t seed, std::size_t column_memory);

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override;
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override;

 private:
  // Entries `first` to `first + out.size() - 1` of a column; `first` is a multiple of the piece length, which bounds
  // the number of them.
  void make_piece(std::size_t column, std::size_t first, std::span<float> out) const;
  // Calls use(first, entries) for the consecutive pieces of a column; `first` is a multiple of the piece length.
  template <typename Use>
  void for_each_piece(std::size_t column, Use use) const;

  std::size_t rows_;
  std::size_t columns_;
  std::uint64_t seed_;
  double scale_;  // 1 / sqrt(m)
  std::size_t kept_columns_;
  std::unique_ptr<float[]> kept_;  // kept_columns_ x rows_, a column's entries side by side
};

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

// A sparse sign embedding: s entries of +-1/sqrt(s) in every column (Kane and Nelson, "Sparser Johnson-Lindenstrauss
// transforms", 2014, their block construction; Bourgain, Dirksen and Nelson, 2015, for sets of small width).
//
// The rows are split into s blocks whose sizes differ by at most one; a column has one entry in each, in a row that is
// equally likely up to 2^-31 and with a sign that is exactly fair. Its rows are therefore distinct, its norm is 1 up to
// rounding, and E Phi^T Phi = I. A dot product adds the signed terms block after block and scales their sum. The first
// columns are kept as far as the memory goes, 4 s bytes each; one that is not kept is made anew and is the same.
class SparseSignEmbedding final : public LinearMap {
 public:
  static constexpr unsigned kLargestWeight = 64;
  static constexpr std::size_t kMostRows = std::size_t{1} << 31;  // a row and a sign share 32 bits

  SparseSignEmbedding(std::size_t rows, std::size_t columns, unsigned column_weight, std::uint64_t seed,
                      std::size_t column_memory);

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override;
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override;
  void apply_transpose(std::span<const double> v, std::span<double> out) const override;

 private:
  using Entry = std::uint32_t;  // 2 row + (1 if negative)

  // Writes the column's `weight_` entries, one a block.
  void make_column(std::size_t column, Entry* out) const;
  // The column's entries: the kept ones, or made anew in `scratch`.
  [[nodiscard]] const Entry* entries(std::size_t column, std::span<Entry, kLargestWeight> scratch) const;

  std::size_t rows_;
  std::size_t columns_;
  std::size_t weight_;  // s
  std::uint64_t seed_;
  double scale_;                           // 1 / sqrt(s)
  std::vector<std::uint32_t> first_rows_;  // of the blocks, and m at the end
  std::size_t kept_columns_;
  std::unique_ptr<Entry[]> kept_;  // kept_columns_ x weight_
};

std::vector<std::uint32_t> block_starts(std::size_t rows, std::size_t blocks) {
  std::vector<std::uint32_t> starts(blocks + 1);
  for (std::size_t block = 0; block <= blocks; ++block) {
    starts[block] = static_cast<std::uint32_t>(rows * block / blocks);
  }
  return starts;
}

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

[[noreturn]] void refuse(const std::string& what, std::size_t value, std::size_t largest,
                         const std::string& limit = "") {
  throw RequestError("sketch", what + " " + std::to_string(value) + " is not possible; accepted: 1 to " +
                                   std::to_string(largest) + limit);
}

}  // namespace

void require_valid(const EmbeddingSettings& settings) {
  constexpr std::size_t kMostColumns = std::numeric_limits<std::uint32_t>::max();
  if (settings.columns < 1 || settings.columns > kMostColumns) {
    refuse("number of coordinates", settings.columns, kMostColumns);
  }
  const std::size_t most_rows = std::min(settings.columns, SparseSignEmbedding::kMostRows);
  if (settings.rows < 1 || settings.rows > most_rows) {
    refuse("dimension", settings.rows, most_rows, ", at most the number of coordinates of a row");
  }
  if (settings.kind != EmbeddingKind::sparse_sign) return;
  const std::size_t most_weight = std::min<std::size_t>(settings.rows, SparseSignEmbedding::kLargestWeight);
  if (settings.column_weight < 1 || settings.column_weight > most_weight) {
    refuse("column weight", settings.column_weight, most_weight, ", at most 64 and at most the dimension");
  }
}

std::shared_ptr<const LinearMap> make_embedding(const EmbeddingSettings& settings, std::size_t column_memory) {
  require_valid(settings);
  if (settings.kind == EmbeddingKind::gaussian) {
    return std::make_shared<GaussianEmbedding>(settings.rows, settings.columns, settings.seed, column_memory);
  }
  return std::make_shared<SparseSignEmbedding>(settings.rows, settings.columns, settings.column_weight, settings.seed,
                                               column_memory);
}

}  // namespace rivulet::sketch
