// The file format: an SQLite database that says what it is, with exactly these tables.
//
// Public half, also all there is in an export:
//   notice(text)                                   for whoever opens the file with other tools
//   public_meta(key, value)                        "kind", and the promise (log/promise.h)
//   public_release(step, rows, statistics, theta, chain)
//   public_ledger(entry, time, event, step, rows, detail, chain)
//   public_tip(step, chain, entry, ledger_chain, seal)   where the two end, so that a lost end is noticed
// Working state, public by content, not exported:
//   public_state(steps, rows, decoder, delivered, commits, needs_log)   before `decoder`, now and then: steps that were
//                                                  drawn and have no model yet (store/working_state.cc)
// Sensitive half:
//   sensitive_state(kernel, source, units, unit_sum, seal)
//   sensitive_unit(tag, rows)
// Version 2, written where a request needs it (another loss than least squares), has one more:
//   sensitive_history(part, rows, chain)           the rows that PrivIncERM keeps, as they came
//
// A model is in SQLite's WAL mode: commits go to a second file beside it, its name with "-wal" behind, and from there
// into the model now and then and at an orderly end. After a crash the two belong together. While there are commits in
// the log alone the model itself says so (needs_log), so that a model that has lost its log is refused, not continued
// from an older step. An export is one file, always.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fit/mechanism.h"
#include "log/database.h"
#include "rivulet/incremental_regression.h"

namespace rivulet::log {

inline constexpr std::uint32_t kApplicationId = 0x52564c54;  // "RVLT"
inline constexpr std::uint32_t kFirstFormat = 1;
inline constexpr std::uint32_t kFormatVersion = 2;  // the newest

enum class FileKind { model, exported };

// Looks at the first bytes only and changes nothing. Throws IoError when there is no such file or it cannot be read,
// DamagedFile when it is not a Rivulet file, is cut short, or was made by a newer version. Does nothing when the file
// is open in this process already (see log/files.h).
void check_file(const std::string& path);

// The tables of an empty file.
void create_public_half(Database& database, FileKind kind, std::uint32_t version, std::string_view notice);
void create_working_state(Database& database, std::uint32_t version);

// After opening: whether owner, version and every table and trigger are as they should be, and which kind of file it
// is.
FileKind check_opened(Database& database);

// SQLite's own check of all pages. Throws DamagedFile.
void check_pages(Database& database);

// What a model promises, as it stands in its file: the request, what was decided for it, and which model it is. Written
// once, when the model is made, and the beginning of the chain that all its releases and ledger entries hang on.

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

  // Of a file that holds it (above).
  [[nodiscard]] std::uint32_t format_version() const;

  // Into the empty tables of a new file.
  void write(Database& database) const;
};

// The digest that a file says its promise has; a cheap way to know it again.
std::string stored_promise_digest(Database& database);

}  // namespace rivulet::log
