
#include "store/model_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "log/files.h"
#include "log/promise.h"
#include "log/public_half.h"
#include "log/statistics_bytes.h"
#include "rivulet/error.h"
#include "store/working_state.h"

namespace rivulet::store {

namespace {

[[noreturn]] void refuse_second_writer(const std::string& path, const char* who) {
  throw ModelConflict("model: '" + path + "' is being written to by " + who +
                      "; one process at a time may publish from a model, so wait for it to end or stop it. Nothing was "
                      "read or changed");
}

int opened(const std::string& path) {
  // Another descriptor would take the locks of the first writer with it when it is closed.
  if (log::is_written_here(path)) refuse_second_writer(path, "this process already");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw IoError("model: cannot open '" + path + "' for writing: " + std::generic_category().message(errno));
  }
  return descriptor;
}

}  // namespace

FileLock::FileLock(const std::string& path) : descriptor_(opened(path)), process_(::getpid()) {
  struct stat status {};
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || fstat(descriptor_, &status) != 0) {
    const int why = errno;
    log::close_in_time(descriptor_);
    if (why == EWOULDBLOCK) refuse_second_writer(path, "another process");
    throw IoError("model: cannot lock '" + path + "': " + std::generic_category().message(why));
  }
  if (status.st_nlink == 1) return;
  ::flock(descriptor_, LOCK_UN);
  log::close_in_time(descriptor_);
  // What a crash leaves beside the file goes by one of the names; under the other, commits would be missing.
  throw IoError("model: '" + path + "' is one of " + std::to_string(status.st_nlink) +
                " names of the same file (hard links); accepted: a file with one name. It was left untouched");
}

FileLock::~FileLock() {
  // In a fork the lock is still the parent's.
  if (::getpid() == process_) ::flock(descriptor_, LOCK_UN);
  log::close_in_time(descriptor_);
}

void FileLock::require_held(const std::string& path, const std::string& file) const {
  if (::getpid() != process_) {
    throw ModelConflict("model: '" + path +
                        "' was opened by the process that this one is a fork of; only that process "
                        "may go on. Nothing was written");
  }
  struct stat status {};
  const auto number = log::number_of(file);
  if (fstat(descriptor_, &status) != 0 || number != log::FileNumber(status.st_dev, status.st_ino)) {
    throw ModelConflict("model: '" + path +
                        "' was moved, removed or replaced while it was open; open it again where it is. Nothing was "
                        "written");
  }
}

namespace {

constexpr std::string_view kNotice =
    "SENSITIVE. A Rivulet model: the tables sensitive_* hold exact sums of rows, or rows, and must not be handed out. "
    "To share what is public, use: rivulet export";

// SQLite's own habit: at this length reading through the log begins to cost more than moving it.
constexpr std::uint64_t kMostLogPages = 1000;

std::string promise_detail(const StreamOptions& options) {
  nlohmann::ordered_json json;
  json["epsilon"] = options.budget.epsilon;
  json["delta"] = options.budget.delta;
  json["neighbours"] = to_string(options.neighbours);
  if (options.unit) {
    json["unit"] = options.unit->name;
    json["max-rows-per-unit"] = options.unit->max_rows;
  } else {
    json["unit"] = "row";
  }
  json["horizon"] = options.horizon.is_known() ? nlohmann::ordered_json(options.horizon.steps()) : "unbounded";
  if (options.insecure_seed) json["not-private"] = "deterministic noise";
  return json.dump();
}

void require_log_mode(log::Database& database) {
  log::Statement mode(database, "PRAGMA journal_mode");
  if (mode.next() && mode.text(0) == "wal") return;
  // In the other modes a power failure may undo a commit. Copies made by SQLite itself may be in another one.
  throw DamagedFile("model: '" + database.path() +
                    "' is not in the journal mode it was made in; to go on, give it back with the statement PRAGMA "
                    "journal_mode = wal. It was left untouched");
}

log::Database& require_model(log::Database& database, const log::PublicHalf& half) {
  if (half.kind() == log::FileKind::model) return database;
  throw DamagedFile("model: '" + database.path() +
                    "' is an export: it holds the public half only, and no stream can go on "
                    "from it; it was left untouched");
}

}  // namespace

ModelFile::Connection::Connection(const std::string& path, log::Database::Mode mode,
                                  std::shared_ptr<const log::Promise> promise)
    : database(path, mode), half(database, std::move(promise)), sensitive(require_model(database, half)) {}

void ModelFile::create(const std::string& path, const StreamOptions& options, const fit::StreamPlan& plan,
                       const RegressionState& state) {
  const auto promise = log::Promise::made(options, plan);
  log::UnfinishedFile unfinished(path, 0600, "model");
  {
    log::Database database(unfinished.path(), log::Database::Mode::write);
    // Until it has its name nobody minds what becomes of it.
    database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    log::Transaction transaction(database);
    log::create_public_half(database, log::FileKind::model, promise->format_version(), kNotice);
    log::create_working_state(database, promise->format_version());
    promise->write(database);
    SensitiveHalf sensitive(database);
    log::Tip tip{0, promise->digest, 0, promise->digest};
    write_working_state(database, sensitive, tip, state, {}, "", 0, 0);
    log::PublicHalf half(database, promise);
    half.enter("promise", 0, promise_detail(options), tip);
    half.put_tip(tip);
    transaction.commit();
    database.execute("PRAGMA journal_mode = WAL");
    require_log_mode(database);
  }
  unfinished.finish();
}

ModelFile::ModelFile(const std::string& path)
    : path_(path), file_(log::resolved(path)), lock_((log::check_file(path), path)) {
  connection_.emplace(path, log::Database::Mode::read, nullptr);
  log::PublicHalf& half = connection_->half;
  log::check_pages(connection_->database);
  half.scan(1, std::numeric_limits<std::uint64_t>::max(), [](const Release&) {});
  (void)half.ledger();
  tip_ = half.tip();
}

void ModelFile::read(RegressionState& state, std::vector<Statistics>& drawn, std::string& source,
                     std::uint64_t& delivered) {
  WorkingState stored =
      read_working_state(connection_->database, connection_->sensitive, *connection_->half.promise(), tip_);
  rows_ = stored.regression.released_rows;
  commits_ = stored.commits;
  state = std::move(stored.regression);
  drawn = std::move(stored.drawn);
  source = std::move(stored.source);
  delivered = stored.delivered;
}

void ModelFile::begin_writing() {
  const auto promise = connection_->half.promise();
  connection_.reset();
  connection_.emplace(path_, log::Database::Mode::write, promise);
  log::Database& database = connection_->database;
  require_log_mode(database);
  database.execute("PRAGMA synchronous = FULL");
  const log::Transaction probe(database);  // nothing, but it shows whether a commit could be written
  require_unchanged();
}

void ModelFile::require_unchanged() {
  if (connection_->half.tip() == tip_) return;
  throw ModelConflict("model: '" + path_ + "' was changed by someone else while it was open; nothing was written");
}

void ModelFile::begin_log() {
  log::Database& database = connection_->database;
  if (database.log_pages() < moved_pages_) moved_pages_ = 0;  // it was moved completely, and began anew
  if (log_begun_ && database.log_pages() < moved_pages_ + kMostLogPages) return;
  {
    log::Transaction transaction(database);
    require_unchanged();
    note_log_needed(database);
    transaction.commit();
  }
  // As far as readers let it. Also brings to disk, once more and in another place, what an earlier run may have been
  // told is on disk and was not.
  database.move_log();
  log_begun_ = true;
  moved_pages_ = database.log_pages();
}

void ModelFile::write_end(log::Tip& tip, std::span<const Statistics> drawn, const Commit& commit) {
  if (!commit.event.empty() && drawn.empty()) {
    connection_->half.enter(commit.event, commit.state.released_rows, "", tip);
  }
  connection_->half.put_tip(tip);
  write_working_state(connection_->database, connection_->sensitive, tip, commit.state, drawn, commit.source,
                      commit.delivered, commits_ + 1);
}

void ModelFile::note_end(log::Tip tip, const Commit& commit) {
  tip_ = std::move(tip);
  rows_ = commit.state.released_rows;
  ++commits_;
  connection_->database.move_log_at_end(true);
}

void ModelFile::keep(std::span<const Statistics> drawn, const Commit& commit) {
  lock_.require_held(path_, file_);
  log::Database& database = connection_->database;
  database.move_log_at_end(false);  // after a failure the disk is left as it is
  begin_log();
  log::Transaction transaction(database);
  require_unchanged();
  log::Tip tip = tip_;
  if (commit.opening) connection_->half.enter("opened", rows_, "", tip);
  write_end(tip, drawn, commit);
  transaction.commit();
  note_end(std::move(tip), commit);
}

std::vector<Release> ModelFile::publish(std::vector<Statistics> drawn, std::vector<Model> models,
                                        const Commit& commit) {
  lock_.require_held(path_, file_);
  std::vector<Release> published;
  published.reserve(drawn.size());
  log::Database& database = connection_->database;
  database.move_log_at_end(false);
  begin_log();
  // No power failure takes back what these are functions of. The next keep() brings them to disk, and so does the end.
  if (commit.event.empty()) database.execute("PRAGMA synchronous = NORMAL");
  log::Tip tip = tip_;
  {
    log::Transaction transaction(database);
    require_unchanged();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      connection_->half.append(drawn[i], models[i].theta, tip);
      published.push_back({std::move(drawn[i]), std::move(models[i]), log::hexadecimal(tip.chain)});
    }
    write_end(tip, {}, commit);
    transaction.commit();
  }
  database.execute("PRAGMA synchronous = FULL");
  note_end(std::move(tip), commit);
  return published;
}

std::string read_source(const std::string& path) {
  log::Reader reader(path);
  if (reader.kind() != log::FileKind::model) {
    throw RequestError("model", "'" + path + "' is an export and has no source");
  }
  return reader.read([](log::ReadConnection& file) {
    SensitiveHalf sensitive(file.database);
    const log::Snapshot snapshot(file.database);
    return read_working_state(file.database, sensitive, *file.half.promise(), file.half.tip()).source;
  });
}

}  // namespace rivulet::store
