// What a model promises, as it stands in its file: the request, what was decided for it, and which model it is. Written
// once, when the model is made, and the beginning of the chain that all its releases and ledger entries hang on.
#pragma once

#include <memory>
#include <string>

#include "fit/stream_plan.h"
#include "log/database.h"
#include "rivulet/incremental_regression.h"

namespace rivulet::log {

struct Promise {
  // As stored, in public_meta under these names.
  std::string request;
  std::string decided;
  std::string made_by;
  std::string model;   // 16 bytes of its own, so that no two models have anything in common that could be mixed up
  std::string digest;  // of the four

  StreamOptions options;
  fit::StreamPlan plan;  // as decided then

  // Of a new model. With an insecure seed nothing is random, `model` neither. Throws RequestError.
  static std::shared_ptr<const Promise> made(const StreamOptions& options, const fit::StreamPlan& plan);
  // Not taken on trust: the mechanism that the decisions describe is accounted for again. Throws DamagedFile.
  static std::shared_ptr<const Promise> read(Database& database);

  // Of a file that holds it (log/format.h).
  [[nodiscard]] std::uint32_t format_version() const;

  // Into the empty tables of a new file.
  void write(Database& database) const;
};

// The digest that a file says its promise has; a cheap way to know it again.
std::string stored_promise_digest(Database& database);

}  // namespace rivulet::log
