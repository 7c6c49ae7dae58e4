// Where rows came from, as it stands in the sensitive half: the caller's own bytes, and in front of them the rows that
// came through doors these bytes do not tell of.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/database.h"
#include "log/statistics_bytes.h"
#include "rivulet/durable_regression.h"
#include "wall/sensitive_state.h"

namespace rivulet::store {

// Without doors it is `source` itself, as it was before there were any (unless it could be mistaken).
std::string source_bytes(const std::vector<Door>& doors, std::string_view source);
// Throws DamagedFile.
std::pair<std::vector<Door>, std::string> parse_source(std::string_view bytes, const std::string& path);
// With `rows` more through `door`; none when it has no name.
std::vector<Door> through(std::vector<Door> doors, const std::string& door, std::uint64_t rows);

// The sensitive half of a model file: the kernel's exact sums, the rows that PrivIncERM keeps, where the source was
// left and how many rows each unit has contributed. The only code outside the kernel that sees these bytes, and all it
// does is put them to disk and back.

// A sum over the digests of all units' counts: it can follow single changes, and a count that is lost or of an older
// commit no longer fits it.
class UnitSum {
 public:
  void add(std::string_view digest) { change(digest, 1); }
  void remove(std::string_view digest) { change(digest, ~std::uint64_t{0}); }
  [[nodiscard]] std::string bytes() const;
  void restore(std::string_view bytes, const std::string& what);
  bool operator==(const UnitSum&) const = default;

 private:
  void change(std::string_view digest, std::uint64_t factor);
  std::array<std::uint64_t, 4> lanes_{};
};

class SensitiveHalf {
 public:
  explicit SensitiveHalf(log::Database& database);

  // Inside the caller's transaction. `context` ties the state to what it belongs to (the last release, the decoder): a
  // state read back in another context is refused.
  void write(const SensitiveState& state, std::string_view source, std::string_view context);
  // Throws DamagedFile.
  SensitiveState read(std::string& source, std::string_view context);

 private:
  struct Units {
    std::uint64_t count = 0;
    UnitSum sum;
  };
  // Rows that are kept, in the parts they came in; each carries a digest of itself and all before it.
  struct History {
    std::uint64_t parts = 0;
    std::string chain;
  };
  std::string state_seal(std::string_view kernel, std::string_view source, const Units& units, const History& history,
                         std::string_view context);
  History stored_history();
  std::string history_chain(const History& before, std::string_view rows);
  void append_history(std::string_view rows, History& history);
  std::string read_history(History& history);
  std::string unit_digest(std::string_view tag, std::uint64_t rows);
  Units stored_units();
  void put_units(const std::vector<SensitiveUnitCount>& changed, Units& units);
  [[noreturn]] void damaged(const std::string& how) const;

  log::Database& database_;
  log::Digest digest_;
  log::Statement find_unit_;
  log::Statement put_unit_;
  bool has_history_;  // the file has room for one
};

}  // namespace rivulet::store
