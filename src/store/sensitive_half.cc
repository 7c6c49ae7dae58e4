
#include "store/sensitive_half.h"

#include <algorithm>

#include "base/bytes.h"
#include "log/promise.h"
#include "rivulet/error.h"

namespace rivulet::store {

namespace {

constexpr std::string_view kDoorsMark = "rivulet doors 1";

}  // namespace

std::string source_bytes(const std::vector<Door>& doors, std::string_view source) {
  if (doors.empty() && !source.starts_with(kDoorsMark)) return std::string(source);
  ByteWriter writer;
  writer.raw(kDoorsMark);
  writer.u64(doors.size());
  for (const Door& door : doors) {
    writer.text(door.name);
    writer.u64(door.rows);
  }
  writer.text(source);
  return writer.take();
}

std::pair<std::vector<Door>, std::string> parse_source(std::string_view bytes, const std::string& path) {
  std::pair<std::vector<Door>, std::string> found;
  if (!bytes.starts_with(kDoorsMark)) {
    found.second.assign(bytes);
    return found;
  }
  ByteReader reader(bytes.substr(kDoorsMark.size()), "model: '" + path + "': where its rows came from");
  constexpr std::size_t kSmallest = 8 + 8;
  const std::size_t count = reader.count(kSmallest);
  for (std::size_t i = 0; i < count; ++i) {
    Door door;
    door.name = reader.text();
    door.rows = reader.u64();
    found.first.push_back(std::move(door));
  }
  found.second = reader.text();
  reader.finish();
  return found;
}

std::vector<Door> through(std::vector<Door> doors, const std::string& door, std::uint64_t rows) {
  if (door.empty() || rows == 0) return doors;
  if (doors.empty() || doors.back().name != door) doors.push_back({door, 0});
  doors.back().rows += rows;
  return doors;
}

namespace {

constexpr std::string_view kStateMark = "rivulet state 1";
constexpr std::string_view kUnitMark = "rivulet unit 1";
constexpr std::string_view kHistoryMark = "rivulet history 1";

}  // namespace

std::string UnitSum::bytes() const {
  ByteWriter writer;
  for (const std::uint64_t lane : lanes_) writer.u64(lane);
  return writer.take();
}

void UnitSum::restore(std::string_view bytes, const std::string& what) {
  ByteReader reader(bytes, what);
  for (std::uint64_t& lane : lanes_) lane = reader.u64();
  reader.finish();
}

void UnitSum::change(std::string_view digest, std::uint64_t factor) {
  ByteReader reader(digest, "digest");
  for (std::uint64_t& lane : lanes_) lane += factor * reader.u64();
}

SensitiveHalf::SensitiveHalf(log::Database& database)
    : database_(database),
      find_unit_(database, "SELECT rows FROM sensitive_unit WHERE tag = ?"),
      put_unit_(database,
                "INSERT INTO sensitive_unit VALUES(?, ?) ON CONFLICT(tag) DO UPDATE SET rows = excluded.rows"),
      has_history_(database.number("PRAGMA user_version") > log::kFirstFormat) {}

void SensitiveHalf::damaged(const std::string& how) const {
  throw DamagedFile("model: '" + database_.path() + "' is damaged: " + how);
}

std::string SensitiveHalf::state_seal(std::string_view kernel, std::string_view source, const Units& units,
                                      const History& history, std::string_view context) {
  digest_.add(kStateMark).add(u64_bytes({kernel.size(), source.size(), units.count})).add(units.sum.bytes());
  if (has_history_) digest_.add(u64_bytes({history.parts})).add(history.chain);
  return digest_.add(kernel).add(source).add(context).finish();
}

std::string SensitiveHalf::unit_digest(std::string_view tag, std::uint64_t rows) {
  return digest_.add(kUnitMark).add(tag).add(u64_bytes({rows})).finish();
}

std::string SensitiveHalf::history_chain(const History& before, std::string_view rows) {
  return digest_.add(kHistoryMark)
      .add(u64_bytes({before.parts, before.chain.size()}))
      .add(before.chain)
      .add(rows)
      .finish();
}

// Where it ends; what stands there is held against the seal.
SensitiveHalf::History SensitiveHalf::stored_history() {
  History history;
  if (!has_history_) return history;
  log::Statement select(database_, "SELECT part, chain FROM sensitive_history ORDER BY part DESC LIMIT 1");
  if (!select.next()) return history;
  history.parts = select.number(0);
  history.chain.assign(select.bytes(1));
  return history;
}

void SensitiveHalf::append_history(std::string_view rows, History& history) {
  if (rows.empty()) return;
  if (!has_history_) throw Error("model: rows were kept for a model that has no place for them");
  std::string chain = history_chain(history, rows);
  log::Statement(database_, "INSERT INTO sensitive_history VALUES(?, ?, ?)")
      .bind(0, history.parts + 1)
      .bind_bytes(1, rows)
      .bind_bytes(2, chain)
      .run();
  ++history.parts;
  history.chain = std::move(chain);
}

std::string SensitiveHalf::read_history(History& history) {
  std::string rows;
  if (!has_history_) return rows;
  rows.reserve(database_.number("SELECT coalesce(sum(length(rows)), 0) FROM sensitive_history"));
  log::Statement select(database_, "SELECT part, rows, chain FROM sensitive_history ORDER BY part");
  while (select.next()) {
    const std::string chain = history_chain(history, select.bytes(1));
    if (select.number(0) != history.parts + 1 || select.bytes(2) != chain) {
      damaged("the rows it keeps do not fit their digest");
    }
    ++history.parts;
    history.chain = chain;
    rows.append(select.bytes(1));
  }
  return rows;
}

SensitiveHalf::Units SensitiveHalf::stored_units() {
  Units units;
  log::Statement select(database_, "SELECT units, unit_sum FROM sensitive_state WHERE id = 1");
  if (!select.next()) return units;  // a new file
  units.count = select.number(0);
  units.sum.restore(select.bytes(1), "model: '" + database_.path() + "'");
  return units;
}

void SensitiveHalf::put_units(const std::vector<SensitiveUnitCount>& changed, Units& units) {
  for (const SensitiveUnitCount& unit : changed) {
    const std::string_view tag(unit.tag_.data(), unit.tag_.size());
    find_unit_.bind_bytes(0, tag);
    if (find_unit_.next()) {
      units.sum.remove(unit_digest(tag, find_unit_.number(0)));
    } else {
      ++units.count;
    }
    find_unit_.reset();
    units.sum.add(unit_digest(tag, unit.rows_));
    put_unit_.bind_bytes(0, tag).bind(1, unit.rows_).run();
  }
}

void SensitiveHalf::write(const SensitiveState& state, std::string_view source, std::string_view context) {
  Units units = stored_units();
  put_units(state.units, units);
  History history = stored_history();
  append_history(state.history.view(), history);
  const std::string_view kernel = state.kernel.view();
  const std::string seal = state_seal(kernel, source, units, history, context);
  const std::string sum = units.sum.bytes();
  log::Statement(database_,
                 "INSERT INTO sensitive_state VALUES(1, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET"
                 " kernel = excluded.kernel, source = excluded.source, units = excluded.units,"
                 " unit_sum = excluded.unit_sum, seal = excluded.seal")
      .bind_bytes(0, kernel)
      .bind_bytes(1, source)
      .bind(2, units.count)
      .bind_bytes(3, sum)
      .bind_bytes(4, seal)
      .run();
}

SensitiveState SensitiveHalf::read(std::string& source, std::string_view context) {
  SensitiveState state;
  const Units units = stored_units();
  History history;
  state.history = SensitiveBytes(read_history(history));
  {
    log::Statement select(database_, "SELECT kernel, source, seal FROM sensitive_state WHERE id = 1");
    if (!select.next()) damaged("it has no state to go on from");
    if (select.bytes(2) != state_seal(select.bytes(0), select.bytes(1), units, history, context)) {
      damaged("its state does not fit its digest");
    }
    state.kernel = SensitiveBytes(std::string(select.bytes(0)));
    source.assign(select.bytes(1));
  }
  Units found;
  log::Statement select(database_, "SELECT tag, rows FROM sensitive_unit ORDER BY tag");
  std::string previous;
  while (select.next()) {
    const std::string_view tag = select.bytes(0);
    const std::uint64_t rows = select.number(1);
    // In order and no more than there should be: damaged pages that lead back to each other must not keep us for ever.
    if (tag.size() != SensitiveUnitCount::kTagBytes || tag <= previous || found.count == units.count) {
      damaged("the count of a unit is not where it should be");
    }
    previous.assign(tag);
    ++found.count;
    found.sum.add(unit_digest(tag, rows));
    SensitiveUnitCount::Tag copy;
    std::copy(tag.begin(), tag.end(), copy.begin());
    state.units.push_back(SensitiveUnitCount(copy, rows));
  }
  if (found.count != units.count || found.sum != units.sum) damaged("the counts of its units do not fit their digest");
  return state;
}

}  // namespace rivulet::store
