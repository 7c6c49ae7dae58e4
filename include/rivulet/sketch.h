// The random projection of PrivIncReg2: rows of d coordinates are summarised in m << d dimensions before they are
// summed, so that memory and noise depend on m alone. The matrix Phi is public; privacy does not rest on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rivulet {

enum class EmbeddingKind {
  sparse_sign,  // `column_weight` entries of +-1/sqrt(column_weight) in every column: fast (default)
  gaussian,     // independent N(0, 1/m) entries: the paper's Phi
};

// How m is chosen where it is not given. Where the stream's length T is unknown, a million rows are assumed.
enum class SketchRule {
  predicted_risk,  // the m of least predicted excess risk for the declared geometry and budget (default)
  paper,           // gamma = (W / T)^(1/3), m = gamma^-2 max(W^2, ln(T / beta)), W = w(X) + w(K)
};

struct Sketch {
  std::optional<std::size_t> dimension{};  // m
  SketchRule rule = SketchRule::predicted_risk;
  std::optional<EmbeddingKind> embedding{};  // sparse_sign; gaussian for profile `paper`
  std::optional<unsigned> column_weight{};   // of sparse_sign: 1 to 64, at most m; 32, or m if that is less
  // Of Phi; drawn when absent. Public: whoever knows it may choose rows that Phi maps badly, which costs accuracy and
  // never privacy. It must not be chosen after looking at rows.
  std::optional<std::uint64_t> seed{};
};

std::string_view to_string(EmbeddingKind);
// "sparse-sign" or "gaussian". Throws RequestError naming `field` and the accepted words.
EmbeddingKind parse_embedding(std::string_view word, std::string_view field = "embedding");

}  // namespace rivulet
