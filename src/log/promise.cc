
#include "log/promise.h"

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "fit/mechanism.h"
#include "log/files.h"
#include "log/statistics_bytes.h"
#include "request/settings.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"
#include "rivulet/version.h"

namespace rivulet::log {

namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100;

std::uint32_t big_endian(const char* bytes, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw DamagedFile("model: '" + path + "' " + why + "; it was left untouched");
}

void check_version(const std::string& path, std::uint32_t version) {
  if (version > kFormatVersion) {
    refuse(path, "was made by a newer Rivulet (format " + std::to_string(version) + "); this one reads formats up to " +
                     std::to_string(kFormatVersion));
  }
  if (version == 0) refuse(path, "is damaged: it has no format version");
}

struct Definition {
  const char* type;
  const char* name;
  const char* table;
  const char* sql;  // SQLite keeps the text as it is
};

constexpr std::array kPublicHalf = {
    Definition{"table", "notice", "notice", "CREATE TABLE notice(text TEXT NOT NULL)"},
    Definition{"table", "public_ledger", "public_ledger",
               "CREATE TABLE public_ledger(entry INTEGER PRIMARY KEY, time TEXT NOT NULL, event TEXT NOT NULL,"
               " step INTEGER NOT NULL, rows INTEGER NOT NULL, detail TEXT NOT NULL, chain BLOB NOT NULL)"},
    Definition{"table", "public_meta", "public_meta",
               "CREATE TABLE public_meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"},
    Definition{"table", "public_release", "public_release",
               "CREATE TABLE public_release(step INTEGER PRIMARY KEY, rows INTEGER NOT NULL, statistics BLOB NOT NULL,"
               " theta BLOB NOT NULL, chain BLOB NOT NULL)"},
    Definition{"table", "public_tip", "public_tip",
               "CREATE TABLE public_tip(id INTEGER PRIMARY KEY CHECK(id = 1), step INTEGER NOT NULL,"
               " chain BLOB NOT NULL, entry INTEGER NOT NULL, ledger_chain BLOB NOT NULL, seal BLOB NOT NULL)"},
    // What is written stays: neither a slip of this program nor of another tool takes a line back.
    Definition{"trigger", "ledger_entries_are_not_changed", "public_ledger",
               "CREATE TRIGGER ledger_entries_are_not_changed BEFORE UPDATE ON public_ledger"
               " BEGIN SELECT RAISE(ABORT, 'append-only'); END"},
    Definition{"trigger", "ledger_entries_are_not_deleted", "public_ledger",
               "CREATE TRIGGER ledger_entries_are_not_deleted BEFORE DELETE ON public_ledger"
               " BEGIN SELECT RAISE(ABORT, 'append-only'); END"},
    Definition{"trigger", "releases_are_not_changed", "public_release",
               "CREATE TRIGGER releases_are_not_changed BEFORE UPDATE ON public_release"
               " BEGIN SELECT RAISE(ABORT, 'append-only'); END"},
    Definition{"trigger", "releases_are_not_deleted", "public_release",
               "CREATE TRIGGER releases_are_not_deleted BEFORE DELETE ON public_release"
               " BEGIN SELECT RAISE(ABORT, 'append-only'); END"},
};

constexpr std::array kWorkingState = {
    Definition{"table", "public_state", "public_state",
               "CREATE TABLE public_state(id INTEGER PRIMARY KEY CHECK(id = 1), steps INTEGER NOT NULL,"
               " rows INTEGER NOT NULL, decoder BLOB NOT NULL, delivered INTEGER NOT NULL, commits INTEGER NOT NULL,"
               " needs_log INTEGER NOT NULL)"},
    Definition{"table", "sensitive_state", "sensitive_state",
               "CREATE TABLE sensitive_state(id INTEGER PRIMARY KEY CHECK(id = 1), kernel BLOB NOT NULL,"
               " source BLOB NOT NULL, units INTEGER NOT NULL, unit_sum BLOB NOT NULL, seal BLOB NOT NULL)"},
    Definition{"table", "sensitive_unit", "sensitive_unit",
               "CREATE TABLE sensitive_unit(tag BLOB PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID"},
};

constexpr std::array kHistory = {
    Definition{"table", "sensitive_history", "sensitive_history",
               "CREATE TABLE sensitive_history(part INTEGER PRIMARY KEY, rows BLOB NOT NULL, chain BLOB NOT NULL)"},
};

std::uint32_t version_of(Database& database) {
  return static_cast<std::uint32_t>(database.number("PRAGMA user_version"));
}

// A file from elsewhere could carry a view instead of a table, or a trigger that changes what is written to it.
void check_definitions(Database& database, FileKind kind) {
  std::vector<Definition> expected(kPublicHalf.begin(), kPublicHalf.end());
  if (kind == FileKind::model) {
    expected.insert(expected.end(), kWorkingState.begin(), kWorkingState.end());
    if (version_of(database) > kFirstFormat) expected.insert(expected.end(), kHistory.begin(), kHistory.end());
  }
  std::sort(expected.begin(), expected.end(),
            [](const Definition& a, const Definition& b) { return std::strcmp(a.name, b.name) < 0; });
  // SQLite's own tables are its own business: other tools add some, e.g. for ANALYZE.
  Statement found(database,
                  "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
                  " ORDER BY name");
  for (const Definition& definition : expected) {
    if (!found.next() || found.text(0) != definition.type || found.text(1) != definition.name ||
        found.text(2) != definition.table || found.text(3) != definition.sql) {
      refuse(database.path(), std::string("is damaged: ") + definition.name + " is not as it was made");
    }
  }
  if (found.next()) refuse(database.path(), "is damaged: it holds more than a Rivulet model does");
}

// A model with commits in its log alone says so; without the log it is older than what may have been published from it.
void check_log(Database& database) {
  if (has_content(log_of(database.path()))) return;
  if (database.number("SELECT needs_log FROM public_state WHERE id = 1") == 0) return;
  refuse(database.path(), "has lost its write-ahead log '" + database.path() +
                              "-wal', and with it the last commits before a crash: put the two side by side again");
}

}  // namespace

void check_file(const std::string& path) {
  if (is_open_here(path)) return;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer would block
  if (file < 0) throw IoError("model: cannot open '" + path + "': " + reason(errno));
  struct stat status {};
  std::array<char, kHeaderBytes> header{};
  const bool known = fstat(file, &status) == 0;
  const ssize_t length = known && S_ISREG(status.st_mode) ? ::read(file, header.data(), header.size()) : -1;
  const int why = errno;
  ::close(file);
  if (known && !S_ISREG(status.st_mode)) throw IoError("model: '" + path + "' is not a regular file");
  if (length < 0) throw IoError("model: cannot read '" + path + "': " + reason(why));
  if (length == 0) refuse(path, "is empty: not a Rivulet model");
  if (static_cast<std::size_t>(length) < kSqliteMagic.size() ||
      std::memcmp(header.data(), kSqliteMagic.data(), kSqliteMagic.size()) != 0) {
    refuse(path, "is not a Rivulet model");
  }
  if (static_cast<std::size_t>(length) < kHeaderBytes) refuse(path, "is cut short");
  if (big_endian(header.data() + 68, 4) != kApplicationId) refuse(path, "is a database, but not a Rivulet model");
  check_version(path, big_endian(header.data() + 60, 4));
  // How SQLite may read and write it: 2 and 2 with a write-ahead log, 1 and 1 without.
  if (header[18] != header[19] || (header[18] != 1 && header[18] != 2)) {
    refuse(path, "is damaged: it does not say how it is to be written");
  }
  const std::uint32_t stored_page = big_endian(header.data() + 16, 2);
  const std::uint64_t page = stored_page == 1 ? 65536 : stored_page;
  const std::uint64_t pages = big_endian(header.data() + 28, 4);
  // While pages wait in the write-ahead log the header may be ahead of the file.
  if (page * pages > static_cast<std::uint64_t>(status.st_size) && !has_content(log_of(path))) {
    refuse(path, "is cut short");
  }
  // SQLite would apply it before anything can be checked. A model never has one: it is complete before it has its name.
  if (has_content(resolved(path) + "-journal")) {
    refuse(path, "has a file '" + path + "-journal' beside it, left by another program that was changing it");
  }
}

void create_public_half(Database& database, FileKind kind, std::uint32_t version, std::string_view notice) {
  database.execute(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  database.execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
  for (const Definition& definition : kPublicHalf) database.execute(definition.sql);
  Statement(database, "INSERT INTO notice VALUES(?)").bind_text(0, notice).run();
  Statement(database, "INSERT INTO public_meta VALUES('kind', ?)")
      .bind_bytes(0, kind == FileKind::model ? "model" : "export")
      .run();
}

void create_working_state(Database& database, std::uint32_t version) {
  for (const Definition& definition : kWorkingState) database.execute(definition.sql);
  if (version == kFirstFormat) return;
  for (const Definition& definition : kHistory) database.execute(definition.sql);
}

FileKind check_opened(Database& database) {
  if (database.number("PRAGMA application_id") != kApplicationId) {
    refuse(database.path(), "is a database, but not a Rivulet model");
  }
  check_version(database.path(), version_of(database));
  Statement kind(database, "SELECT value FROM public_meta WHERE key = 'kind'");
  if (!kind.next()) refuse(database.path(), "is damaged: it does not say what it is");
  const bool is_model = kind.bytes(0) == "model";
  if (!is_model && kind.bytes(0) != "export") refuse(database.path(), "is damaged: it does not say what it is");
  check_definitions(database, is_model ? FileKind::model : FileKind::exported);
  if (is_model) check_log(database);
  return is_model ? FileKind::model : FileKind::exported;
}

void check_pages(Database& database) {
  Statement check(database, "PRAGMA integrity_check(1)");
  const std::string verdict = check.next() ? std::string(check.text(0)) : "its pages cannot be checked";
  if (verdict == "ok") return;
  // A headline, then the first finding.
  throw DamagedFile("model: '" + database.path() + "' is damaged: " + one_line(verdict.substr(verdict.find('\n') + 1)));
}

namespace {

constexpr std::string_view kPromiseMark = "rivulet promise 1";
constexpr std::string_view kModelMark = "rivulet insecure model 1";
constexpr std::size_t kModelBytes = 16;

std::string digest_of(std::initializer_list<std::string_view> fields) {
  ByteWriter writer;
  for (const std::string_view field : fields) writer.text(field);
  return Digest().add(kPromiseMark).add(writer.bytes()).finish();
}

std::string new_model(const std::optional<std::uint64_t>& insecure_seed) {
  if (insecure_seed) {
    ByteWriter seed;
    seed.u64(*insecure_seed);
    return Digest().add(kModelMark).add(seed.bytes()).finish().substr(0, kModelBytes);
  }
  std::string bytes(kModelBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1) {
    throw Error("model: the system gave no random bytes");
  }
  return bytes;
}

std::string meta(Database& database, const char* key) {
  Statement select(database, "SELECT value FROM public_meta WHERE key = ?");
  select.bind_text(0, key);
  if (!select.next()) throw DamagedFile("model: '" + database.path() + "' is damaged: it has no " + key);
  return std::string(select.bytes(0));
}

}  // namespace

std::shared_ptr<const Promise> Promise::made(const StreamOptions& options, const fit::StreamPlan& plan) {
  const std::string request = request::stored_text(options);
  const std::string decided = decisions_bytes(plan.decisions());
  const std::string model = new_model(options.insecure_seed);
  return std::make_shared<Promise>(
      Promise{request, decided, kVersion, model, digest_of({request, decided, kVersion, model}), options, plan});
}

std::shared_ptr<const Promise> Promise::read(Database& database) {
  const std::string& path = database.path();
  const std::string request = meta(database, "request");
  const std::string decided = meta(database, "decisions");
  const std::string made_by = meta(database, "made_by");
  const std::string model = meta(database, "model");
  const std::string digest = stored_promise_digest(database);
  if (digest != digest_of({request, decided, made_by, model})) {
    throw DamagedFile("model: '" + path + "' is damaged: its promise does not fit its digest; it was left untouched");
  }
  try {
    const StreamOptions options = fit::completed(request::read_stored(request));
    const fit::StreamDecisions decisions = parse_decisions(decided, options, path);
    (void)Domain(options.only_if, options.schema);
    return std::make_shared<Promise>(
        Promise{request, decided, made_by, model, digest, options, fit::StreamPlan(options, decisions)});
  } catch (const RequestError& error) {
    throw DamagedFile("model: '" + path + "' is damaged: " + one_line(error.what()) + "; it was left untouched");
  }
}

std::uint32_t Promise::format_version() const {
  return options.erm || options.loss != "squared" ? kFormatVersion : kFirstFormat;
}

void Promise::write(Database& database) const {
  Statement insert(database, "INSERT INTO public_meta VALUES(?, ?)");
  const auto put = [&](std::string_view key, std::string_view value) {
    insert.bind_text(0, key).bind_bytes(1, value).run();
  };
  put("request", request);
  put("decisions", decided);
  put("made_by", made_by);
  put("model", model);
  put("promise", digest);
}

std::string stored_promise_digest(Database& database) {
  return meta(database, "promise");
}

}  // namespace rivulet::log
