// One writer at a time: an exclusive lock on the model file itself, held as long as this object lives and given up by
// the system when the process dies.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "log/database.h"
#include "log/public_half.h"
#include "regression/regression_state.h"
#include "rivulet/release_log.h"
#include "store/sensitive_half.h"

namespace rivulet::store {

class FileLock {
 public:
  // Throws IoError when the file cannot be opened for writing or has a second name, ModelConflict when it is open for
  // writing already, here or in another process.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Throws ModelConflict when `file` no longer is the file that is locked, or this process is a fork of the one that
  // locked it. `path` is for the message.
  void require_held(const std::string& path, const std::string& file) const;

 private:
  int descriptor_ = -1;
  pid_t process_;
};

// A model file open for writing: both halves, one writer.
//
// Steps come into it in two transactions. The first, keep(), puts what was drawn to disk, with the state behind it;
// from then on the draw is settled, whatever happens. The second, publish(), adds the models, which are functions of
// what the first one wrote, and makes releases of them. A file whose writer was interrupted between the two holds steps
// without models, which the next writer publishes before anything else; readers see releases, which are complete.
//
// A file that is refused is left untouched: everything in it is checked through a connection that cannot write, and
// only a file that passed is opened for writing. Untouched means the file and its "-wal", byte for byte, and no new
// file beside them, with one exception: where a crash left a "-wal", SQLite may make or change the "-shm", an index
// into the
// "-wal" that holds nothing of its own and is made anew by whoever comes first. A file that passed may have the commits
// in its "-wal" moved into it even if nothing is committed: the same content in other bytes.

// What a commit writes besides the steps.
struct Commit {
  const RegressionState& state;
  std::string_view source;
  std::uint64_t delivered = 0;
  bool opening = false;    // the first of a run: noted in the ledger, as of before it
  std::string_view event;  // for the ledger, as of after its releases; none when empty
};

class ModelFile {
 public:
  // Appears under `path` complete or not at all. Throws IoError when it exists already.
  static void create(const std::string& path, const StreamOptions& options, const fit::StreamPlan& plan,
                     const RegressionState& state);

  // Locks it and checks every page and every release. Throws IoError, ModelConflict or DamagedFile.
  explicit ModelFile(const std::string& path);

  [[nodiscard]] log::PublicHalf& half() { return connection_->half; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Where the last commit left off, and the steps it kept that are not published.
  void read(RegressionState& state, std::vector<Statistics>& drawn, std::string& source, std::uint64_t& delivered);
  // Published.
  [[nodiscard]] std::uint64_t steps() const { return tip_.step; }

  // Once, when what was read has turned out right too. Throws IoError when the file or its folder cannot be written to.
  void begin_writing();
  // Both write all of it or nothing. keep() returns when it is on disk; all steps kept before must be published. It
  // enters the event only when nothing was drawn, otherwise publish() does.
  void keep(std::span<const Statistics> drawn, const Commit& commit);
  // All that was kept, each with its model. Returns the releases as they now stand in the log. May be lost when the
  // power fails: then it is to be done again, with what keep() wrote, and gives the same releases.
  std::vector<Release> publish(std::vector<Statistics> drawn, std::vector<Model> models, const Commit& commit);

 private:
  struct Connection {
    Connection(const std::string& path, log::Database::Mode mode, std::shared_ptr<const log::Promise> promise);
    log::Database database;
    log::PublicHalf half;
    SensitiveHalf sensitive;
  };
  void require_unchanged();
  void begin_log();
  // Inside the caller's transaction: the last of it.
  void write_end(log::Tip& tip, std::span<const Statistics> drawn, const Commit& commit);
  void note_end(log::Tip tip, const Commit& commit);

  std::string path_;  // as given, for messages
  std::string file_;  // where it is: a relative path may mean another place later
  FileLock lock_;
  std::optional<Connection> connection_;
  // As of the last commit.
  log::Tip tip_;
  std::uint64_t rows_ = 0;
  std::uint64_t commits_ = 0;

  bool log_begun_ = false;
  std::uint64_t moved_pages_ = 0;  // of the log, when it was last moved
};

// What the last commit to the model said about its source; changes nothing and needs no lock.
std::string read_source(const std::string& path);

}  // namespace rivulet::store
