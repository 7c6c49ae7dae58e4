#include <string>

#include "base/shown.h"
#include "rivulet/error.h"
#include "rivulet/sketch.h"

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
