#include "log/database.h"

#include <sqlite3.h>

#include <limits>
#include <system_error>

#include "rivulet/error.h"

namespace rivulet::log {
namespace {

// A path as the URI that SQLite asks for: what is special in one is escaped.
std::string uri_of(const std::string& path, const char* query) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kDigits[] = "0123456789abcdef";
      uri += '%';
      uri += kDigits[static_cast<unsigned char>(c) >> 4];
      uri += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      uri += c;
    }
  }
  return uri + query;
}

}  // namespace

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

// Without a write-ahead log there is no writer, living or dead, whose work is still beside the file: it can be read
// where nothing may be written at all, and leaves no trace. A writer who comes later goes unnoticed by SQLite, but not
// by is_stale().
Database::Database(const std::string& path, Mode mode)
    : path_(path),
      file_(resolved(path)),
      stamp_(stamp_of(file_)),
      sees_changes_(mode == Mode::write || stamp_.has_log),
      open_(file_, mode == Mode::write) {
  const char* query = sees_changes_ ? "" : "?immutable=1";
  const int flags =
      SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | (mode == Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  const int code = sqlite3_open_v2(uri_of(file_, query).c_str(), &connection_, flags, nullptr);
  if (code != SQLITE_OK) {
    const int reason = connection_ == nullptr ? code : sqlite3_extended_errcode(connection_);
    const std::string why = connection_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection_);
    sqlite3_close(connection_);
    if (reason == SQLITE_NOMEM) throw std::bad_alloc();
    throw IoError("model: cannot open '" + path + "': " + why);
  }
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_busy_timeout(connection_, 5000);
  // A file from elsewhere may carry anything: no functions or views of its own are believed.
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, 1 << 30);
  // The log is moved into the file by move_log() alone: instead of doing so by itself, SQLite tells how long it is.
  sqlite3_wal_hook(
      connection_,
      [](void* pages, sqlite3*, const char*, int now) {
        *static_cast<std::uint64_t*>(pages) = static_cast<std::uint64_t>(now);
        return SQLITE_OK;
      },
      &log_pages_);
  // Cells are measured before they are believed; and a file that is cut short while it is mapped would be a signal, not
  // an error.
  sqlite3_exec(connection_, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

Database::~Database() {
  sqlite3_close_v2(connection_);
}

bool Database::is_stale() const {
  return !sees_changes_ && stamp_of(file_) != stamp_;
}

void Database::move_log() {
  const int code = sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // Busy: a reader is in the way, and the log grows a little longer.
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) fail(code);
}

void Database::move_log_at_end(bool wanted) {
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

void Database::fail(int code) const {
  const int primary = code & 0xff;
  const std::string why = one_line(sqlite3_errmsg(connection_));
  switch (primary) {
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR:  // a table that should be there is not
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      throw DamagedFile("model: '" + path_ + "' is damaged: " + why);
    default: {
      const int system_reason = sqlite3_system_errno(connection_);
      std::string text = "model: cannot use '" + path_ + "': " + why;
      if (system_reason != 0 && primary == SQLITE_IOERR) {
        text += " (" + std::generic_category().message(system_reason) + ")";
      }
      throw IoError(text);
    }
  }
}

void Database::execute(const char* text) {
  const int code = sqlite3_exec(connection_, text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::uint64_t Database::number(const char* text) {
  Statement statement(*this, text);
  if (!statement.next()) throw DamagedFile("model: '" + path_ + "' is damaged: a value is missing");
  return statement.number(0);
}

Statement::Statement(Database& database, const char* text) : database_(database) {
  const int code = sqlite3_prepare_v3(database.connection_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_, parameter + 1, value);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error("model: a count is too large to be stored");
  }
  return bind(parameter, static_cast<std::int64_t>(value));
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_, parameter + 1, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  // A null pointer would be NULL, not an empty value.
  const char* data = bytes.empty() ? "" : bytes.data();
  const int code = sqlite3_bind_blob64(statement_, parameter + 1, data, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

bool Statement::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_.fail(code);
}

void Statement::run() {
  while (next()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::require_type(int column, int type) const {
  if (sqlite3_column_type(statement_, column) != type) {
    throw DamagedFile("model: '" + database_.path() + "' is damaged: a value has another type than it should");
  }
}

std::uint64_t Statement::number(int column) const {
  require_type(column, SQLITE_INTEGER);
  const std::int64_t value = sqlite3_column_int64(statement_, column);
  if (value < 0) throw DamagedFile("model: '" + database_.path() + "' is damaged: a count is negative");
  return static_cast<std::uint64_t>(value);
}

std::string_view Statement::text(int column) const {
  require_type(column, SQLITE_TEXT);
  const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {start, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::bytes(int column) const {
  require_type(column, SQLITE_BLOB);
  const auto* start = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return start == nullptr ? std::string_view() : std::string_view(start, length);
}

Snapshot::Snapshot(Database& database) : database_(database) {
  database_.execute("BEGIN");
}

Snapshot::~Snapshot() {
  try {
    database_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // A failed statement may have ended it already.
  }
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // A failed statement may have rolled back already.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace rivulet::log
