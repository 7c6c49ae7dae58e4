#include "sketch/embedding.h"

#include <algorithm>
#include <limits>
#include <string>

#include "rivulet/error.h"
#include "sketch/gaussian_embedding.h"
#include "sketch/sparse_sign_embedding.h"

namespace rivulet::sketch {
namespace {

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
