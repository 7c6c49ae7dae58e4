// The release log and the ledger inside an open file. Both only ever grow, and each entry carries a digest over itself
// and the entry before it, so that damage or a missing entry shows when it is read; where they end is noted besides, so
// that a missing last entry shows too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fit/model_fitter.h"
#include "log/database.h"
#include "log/files.h"
#include "log/promise.h"
#include "log/statistics_bytes.h"
#include "rivulet/error.h"
#include "rivulet/release_log.h"

namespace rivulet::log {

// Where log and ledger end: the number of the last entry (0: none yet) and its digest, raw bytes.
struct Tip {
  std::uint64_t step = 0;
  std::string chain;
  std::uint64_t entry = 0;
  std::string ledger_chain;
  bool operator==(const Tip&) const = default;
};

class PublicHalf {
 public:
  // Checks file and promise. The database must outlive this.
  explicit PublicHalf(Database& database);
  // The same for a promise that was checked before: the file must still be of the same model.
  PublicHalf(Database& database, std::shared_ptr<const Promise> promise);

  [[nodiscard]] FileKind kind() const { return kind_; }
  [[nodiscard]] const std::shared_ptr<const Promise>& promise() const { return promise_; }

  // Throws DamagedFile when log or ledger end elsewhere.
  Tip tip();
  Release read(std::uint64_t step);
  void scan(std::uint64_t from, std::uint64_t to, const std::function<void(const Release&)>& visit);
  // The digest of `step`, raw bytes; of step 0, that of the promise.
  std::string chain(std::uint64_t step);
  std::vector<LedgerEntry> ledger();

  // Inside the caller's transaction, which ends with put_tip(). Each moves the tip on.
  void append(const Statistics& statistics, const std::vector<double>& theta, Tip& tip);
  void enter(std::string_view event, std::uint64_t rows, std::string_view detail, Tip& tip);  // the time is now
  void put_tip(const Tip& tip);
  // The tip of a model without releases and entries.
  [[nodiscard]] Tip first_tip() const { return {0, promise_->digest, 0, promise_->digest}; }

  // Copies promise, releases and ledger into the empty public half of another file.
  void copy_to(Database& destination);

 private:
  struct Row;
  [[nodiscard]] Release release_from(const Row& row, const std::string& previous_chain);
  [[nodiscard]] std::vector<double> solution_from(std::string_view bytes, const std::string& name) const;
  std::string release_chain(std::string_view previous, std::uint64_t step, std::uint64_t rows,
                            std::string_view statistics, std::string_view theta);
  [[noreturn]] void damaged(const std::string& how) const;

  Database& database_;
  FileKind kind_;
  std::shared_ptr<const Promise> promise_;
  fit::UserUnits units_;
  Digest digest_;
  Statement insert_;
};

// Reading a file that others may write to at any moment, also when nobody did as it was opened.

struct ReadConnection {
  // Throws IoError or DamagedFile. `promise` as in PublicHalf.
  ReadConnection(const std::string& path, std::shared_ptr<const Promise> promise)
      : database((check_file(path), path), Database::Mode::read), half(database, std::move(promise)) {}
  Database database;
  PublicHalf half;
};

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {
    kind_ = read([](ReadConnection& file) { return file.half.kind(); });
    promise_ = connection_->half.promise();
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::shared_ptr<const Promise>& promise() const { return promise_; }
  [[nodiscard]] FileKind kind() const { return kind_; }

  // Calls `look` and returns what it found, unless someone began to write to the file meanwhile: then what it found, or
  // stumbled over, may be a mixture, and it looks again.
  template <typename Look>
  std::invoke_result_t<Look, ReadConnection&> read(Look look) {
    constexpr int kMostTries = 100;
    for (int tries = 1;; ++tries) {
      FileStamp before;
      try {
        if (connection_ == nullptr || connection_->database.is_stale()) {
          connection_.reset();
          before = stamp_of(resolved(path_));
          connection_ = std::make_unique<ReadConnection>(path_, promise_);
        }
        auto found = look(*connection_);
        if (!connection_->database.is_stale() || tries == kMostTries) return found;
      } catch (const Error&) {
        const bool changed =
            connection_ == nullptr ? stamp_of(resolved(path_)) != before : connection_->database.is_stale();
        if (!changed || tries == kMostTries) throw;
      }
    }
  }

 private:
  std::string path_;
  std::unique_ptr<ReadConnection> connection_;
  std::shared_ptr<const Promise> promise_;
  FileKind kind_ = FileKind::model;
};

}  // namespace rivulet::log
