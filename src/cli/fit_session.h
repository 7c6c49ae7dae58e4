// What `rivulet fit` does with rows and releases: in memory, or with a model file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/fit_job.h"
#include "cli/operator_counts.h"
#include "cli/progress.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/error.h"
#include "rivulet/incremental_regression.h"

namespace rivulet::cli {

// What may come out of rows().next() besides the faults of the input, when something was to be kept or handed on while
// the input paused. Neither is an IoError: the input is not broken.
struct ReaderGone {};
class NotKept : public Error {
 public:
  using Error::Error;
};

class FitSession {
 public:
  virtual ~FitSession() = default;

  // Before the first row. False when a stop was asked for or the reader of the releases has gone.
  virtual bool begin(Progress& progress) = 0;
  [[nodiscard]] virtual input::RowSource& rows() = 0;
  [[nodiscard]] virtual const input::FileSource& source() const = 0;

  // Takes a row; false when the reader of the releases has gone. Throws HorizonExceeded, taking nothing.
  virtual bool observe(const input::Row& row) = 0;
  // The input has ended, or only paused until `more` comes. False as above.
  virtual bool end_of_input() = 0;
  // Nothing comes after this: what is to be kept is kept, what may be published is. False as above.
  virtual bool finish() = 0;

  // Of what was published.
  [[nodiscard]] virtual std::uint64_t step() const = 0;
  [[nodiscard]] virtual const StreamOptions& options() const = 0;
  // The last release; step() is at least 1.
  [[nodiscard]] virtual Statistics last_statistics() = 0;
  [[nodiscard]] virtual Model last_model() = 0;
  // Whether standard output belongs to the releases.
  [[nodiscard]] virtual bool releases_on_stdout() const = 0;
  // For the operator's eyes only.
  [[nodiscard]] virtual OperatorCounts counts() const = 0;
  // Whether rows had been taken before this run.
  [[nodiscard]] virtual bool went_on() const { return false; }
  // How to go on later; nothing when that is not possible.
  [[nodiscard]] virtual std::optional<std::string> how_to_go_on() const { return std::nullopt; }

 protected:
  FitSession() = default;
  FitSession(const FitSession&) = default;
  FitSession& operator=(const FitSession&) = default;
};

// Each throws RequestError, IoError, DamagedFile or ModelConflict before any row is read.
std::unique_ptr<FitSession> make_memory_session(const FitJob& job);
std::unique_ptr<FitSession> make_durable_session(const FitJob& job);

// The column that says whose row it is, when units are promised.
inline std::optional<std::string> unit_column(const StreamOptions& options) {
  return options.unit ? std::optional(options.unit->name) : std::nullopt;
}

// Opening the releases may empty or extend the file, so it must not be one that is read: throws RequestError.
void refuse_overwriting(const std::string& releases, const std::string& read, const std::string& what);

}  // namespace rivulet::cli
