// A model file as any other program sees it: an SQLite database.
#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace rivulet::store_testing {

class PlainSqlite {
 public:
  explicit PlainSqlite(const std::string& path) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(connection_));
    }
  }
  ~PlainSqlite() { sqlite3_close(connection_); }
  PlainSqlite(const PlainSqlite&) = delete;
  PlainSqlite& operator=(const PlainSqlite&) = delete;

  // What SQLite says about it: "" when it was done.
  std::string attempt(const std::string& text) {
    return sqlite3_exec(connection_, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
               ? ""
               : sqlite3_errmsg(connection_);
  }
  void run(const std::string& text) {
    if (const std::string why = attempt(text); !why.empty()) throw std::runtime_error(text + ": " + why);
  }

  // Every value as bytes.
  using Values = std::vector<std::string>;
  std::vector<Values> rows(const std::string& text, const Values& blobs = {}) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection_, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(text + ": " + sqlite3_errmsg(connection_));
    }
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      sqlite3_bind_blob64(statement, static_cast<int>(i) + 1, blobs[i].data(), blobs[i].size(), SQLITE_STATIC);
    }
    std::vector<Values> all;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      Values& row = all.emplace_back();
      for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
        const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        row.emplace_back(bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : length);
      }
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) throw std::runtime_error(text + ": " + sqlite3_errmsg(connection_));
    return all;
  }
  std::string value(const std::string& text, const Values& blobs = {}) { return rows(text, blobs).at(0).at(0); }

 private:
  sqlite3* connection_ = nullptr;
};

}  // namespace rivulet::store_testing
