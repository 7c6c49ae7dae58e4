// SQLite behind a few calm words. One connection, prepared statements, and every failure an exception that names the
// file: DamagedFile where the content is at fault, IoError where the system is (a full disk, a missing permission).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "log/files.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rivulet::log {

class Database;

// What SQLite says may quote the file: in one line, without control characters.
std::string one_line(std::string text);

// A prepared statement. Parameters and columns are numbered from 0. Views stay valid until the next step or reset.
class Statement {
 public:
  Statement(Database& database, const char* text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Bound bytes must live until run() or next() has returned.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::uint64_t value);  // at most 2^63 - 1
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_bytes(int parameter, std::string_view bytes);

  // True while there is a row.
  bool next();
  // To the end, then ready for new parameters.
  void run();
  void reset();

  // Each throws DamagedFile when the column holds another type, or a negative number.
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  void require_type(int column, int type) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  // Both are for files that exist.
  enum class Mode {
    read,   // leaves the file and its write-ahead log as they are
    write,  // may also move what is in the log into the file
  };

  // Throws IoError.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* text);
  // One value of one row, e.g. of a pragma.
  std::uint64_t number(const char* text);
  [[nodiscard]] const std::string& path() const { return path_; }

  // Whether someone has begun to write to a file that nobody wrote to when it was opened for reading. This connection
  // cannot see it: what it reads from now on may be a mixture of old and new, and the file must be opened again.
  [[nodiscard]] bool is_stale() const;

  // Pages in the write-ahead log after the last commit of this connection.
  [[nodiscard]] std::uint64_t log_pages() const { return log_pages_; }
  // Moves them into the file, as far as no reader needs the file as it is, and waits for the disk.
  void move_log();
  // Whether the last connection to end moves them too and removes the log.
  void move_log_at_end(bool wanted);

  // Throws the exception that fits the last error of the connection.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  std::string path_;  // as given, for messages
  std::string file_;  // the file it means
  FileStamp stamp_;
  bool sees_changes_;  // by others
  OpenFile open_;
  sqlite3* connection_ = nullptr;
  std::uint64_t log_pages_ = 0;
};

// While one exists, everything is read as of one moment.
class Snapshot {
 public:
  explicit Snapshot(Database& database);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database& database_;
};

// Everything between construction and commit() happens, or nothing does.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace rivulet::log
