// Makes every digest of an altered model fit again, as someone would who wants the alteration believed: what is refused
// afterwards is refused because of what it says.
#pragma once

#include <string>

#include "store/plain_sqlite.h"

namespace rivulet::store_testing {

// Alters append-only tables too: lifts their protection while it exists and puts it back.
class Alteration {
 public:
  explicit Alteration(const std::string& path);
  ~Alteration();
  Alteration(const Alteration&) = delete;
  Alteration& operator=(const Alteration&) = delete;
  PlainSqlite& database() { return database_; }

 private:
  PlainSqlite database_;
  std::vector<PlainSqlite::Values> triggers_;
};

void reseal_promise(PlainSqlite& database);
// The promise, releases, ledger, tip, and of a model the state and the counts of units. A file whose content no longer
// has the shape of a model stays as it is: std::runtime_error.
void reseal(PlainSqlite& database);

}  // namespace rivulet::store_testing
