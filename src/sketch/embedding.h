// The matrix Phi of PrivIncReg2, m x d, made from a public seed. It knows nothing of rows: the kernel applies it to a
// row before the row is quantised, and the solver behind the wall works with the same matrix.
//
// The same settings give the same entries, bit for bit, on every machine and in every version: a model that goes on
// later, or is fitted again from its releases elsewhere, needs exactly this matrix. E Phi^T Phi = I for both kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/linear_map.h"
#include "rivulet/stream_options.h"

namespace rivulet::sketch {

struct EmbeddingSettings {
  EmbeddingKind kind = EmbeddingKind::sparse_sign;
  std::size_t rows = 0;     // m
  std::size_t columns = 0;  // d
  unsigned column_weight = 8;
  std::uint64_t seed = 0;
};

// Memory that columns may be kept in; those that do not fit are made anew whenever they are asked for.
inline constexpr std::size_t kColumnMemory = std::size_t{256} << 20;

// Throws RequestError naming "sketch" unless 1 <= d <= 2^32 - 1, 1 <= m <= min(d, 2^31) and, for sparse signs,
// 1 <= column_weight <= min(m, 64).
void require_valid(const EmbeddingSettings& settings);

// Throws as require_valid() does.
std::shared_ptr<const LinearMap> make_embedding(const EmbeddingSettings& settings,
                                                std::size_t column_memory = kColumnMemory);

}  // namespace rivulet::sketch
