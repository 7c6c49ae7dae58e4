// Reading a file that others may write to at any moment, also when nobody did as it was opened.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "log/database.h"
#include "log/files.h"
#include "log/format.h"
#include "log/public_half.h"
#include "rivulet/error.h"

namespace rivulet::log {

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
