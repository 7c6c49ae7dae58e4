#include "log/public_half.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>

#include "base/bytes.h"
#include "log/statistics_bytes.h"
#include "rivulet/error.h"

namespace rivulet::log {
namespace {

constexpr std::string_view kReleaseMark = "rivulet release 1";
constexpr std::string_view kLedgerMark = "rivulet ledger 1";
constexpr std::string_view kTipMark = "rivulet tip 1";

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

// Every digest begins with that of the promise: nothing of another model fits, wherever it turns up.
std::string entry_chain(const Promise& promise, std::string_view previous, const LedgerEntry& entry) {
  ByteWriter fields;
  fields.u64(entry.entry);
  fields.text(entry.time);
  fields.text(entry.event);
  fields.u64(entry.step);
  fields.u64(entry.rows);
  fields.text(entry.detail);
  return Digest().add(kLedgerMark).add(promise.digest).add(previous).add(fields.bytes()).finish();
}

LedgerEntry entry_from(const Statement& row) {
  return {row.number(0), std::string(row.text(1)), std::string(row.text(2)), row.number(3),
          row.number(4), std::string(row.text(5))};
}

// Non-zeros that a lifted solution has room for. Over sets with corners it has hardly more than the sketch has
// dimensions, and the room taken does not depend on how many; dense ones are kept whole.
std::size_t room_of(const Promise& promise) {
  return 4 * promise.plan.statistics_dimension();
}

std::string tip_seal(const Promise& promise, const Tip& tip) {
  return Digest()
      .add(kTipMark)
      .add(promise.digest)
      .add(u64_bytes({tip.step, tip.entry}))
      .add(tip.chain)
      .add(tip.ledger_chain)
      .finish();
}

void write_tip(Database& database, const Promise& promise, const Tip& tip) {
  const std::string seal = tip_seal(promise, tip);
  Statement(
      database,
      "INSERT INTO public_tip VALUES(1, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET step = excluded.step,"
      " chain = excluded.chain, entry = excluded.entry, ledger_chain = excluded.ledger_chain, seal = excluded.seal")
      .bind(0, tip.step)
      .bind_bytes(1, tip.chain)
      .bind(2, tip.entry)
      .bind_bytes(3, tip.ledger_chain)
      .bind_bytes(4, seal)
      .run();
}

}  // namespace

struct PublicHalf::Row {
  std::uint64_t step = 0;
  std::uint64_t rows = 0;
  std::string_view statistics;
  std::string_view theta;
  std::string_view chain;
};

PublicHalf::PublicHalf(Database& database) : PublicHalf(database, nullptr) {}

PublicHalf::PublicHalf(Database& database, std::shared_ptr<const Promise> promise)
    : database_(database),
      kind_(check_opened(database)),
      promise_(promise != nullptr ? std::move(promise) : Promise::read(database)),
      units_(promise_->options.schema, promise_->options.sketch.has_value()),
      insert_(database, "INSERT INTO public_release VALUES(?, ?, ?, ?, ?)") {
  if (stored_promise_digest(database) != promise_->digest) damaged("it became another model while it was open");
}

void PublicHalf::damaged(const std::string& how) const {
  throw DamagedFile("model: '" + database_.path() + "' is damaged: " + how);
}

Tip PublicHalf::tip() {
  // One statement: all of it as of one moment.
  Statement select(database_,
                   "SELECT tip.step, tip.chain, tip.entry, tip.ledger_chain,"
                   " (SELECT coalesce(max(step), 0) FROM public_release),"
                   " coalesce((SELECT chain FROM public_release ORDER BY step DESC LIMIT 1), x''),"
                   " (SELECT coalesce(max(entry), 0) FROM public_ledger),"
                   " coalesce((SELECT chain FROM public_ledger ORDER BY entry DESC LIMIT 1), x''),"
                   " tip.seal FROM public_tip AS tip WHERE id = 1");
  if (!select.next()) damaged("it does not say where it ends");
  Tip tip{select.number(0), std::string(select.bytes(1)), select.number(2), std::string(select.bytes(3))};
  if (select.bytes(8) != tip_seal(*promise_, tip)) damaged("where it ends does not fit its digest");
  const std::string_view chain = tip.step == 0 ? std::string_view(promise_->digest) : select.bytes(5);
  if (select.number(4) != tip.step || chain != tip.chain) damaged("its releases do not end where they should");
  if (select.number(6) != tip.entry || select.bytes(7) != tip.ledger_chain) {
    damaged("its ledger does not end where it should");
  }
  return tip;
}

std::string PublicHalf::release_chain(std::string_view previous, std::uint64_t step, std::uint64_t rows,
                                      std::string_view statistics, std::string_view theta) {
  return digest_.add(kReleaseMark)
      .add(promise_->digest)
      .add(previous)
      .add(u64_bytes({step, rows, statistics.size()}))
      .add(statistics)
      .add(theta)
      .finish();
}

std::string PublicHalf::chain(std::uint64_t step) {
  if (step == 0) return promise_->digest;
  Statement select(database_, "SELECT chain FROM public_release WHERE step = ?");
  select.bind(0, step);
  if (!select.next()) damaged("the release of step " + std::to_string(step) + " is missing");
  return std::string(select.bytes(0));
}

std::vector<double> PublicHalf::solution_from(std::string_view bytes, const std::string& name) const {
  const std::size_t size = promise_->options.schema.dimension();
  return promise_->options.sketch ? parse_sparse_vector(bytes, size, room_of(*promise_), name)
                                  : parse_vector(bytes, size, name);
}

Release PublicHalf::release_from(const Row& row, const std::string& previous_chain) {
  const std::string name = "model: '" + database_.path() + "': the release of step " + std::to_string(row.step);
  if (release_chain(previous_chain, row.step, row.rows, row.statistics, row.theta) != row.chain) {
    throw DamagedFile(name + " is damaged: it does not fit its digest");
  }
  Release release;
  release.statistics =
      parse_statistics(row.statistics, promise_->plan.statistics_dimension(), promise_->plan.has_target_square(), name);
  release.statistics.step = row.step;
  release.statistics.rows = row.rows;
  release.statistics.not_private = promise_->options.insecure_seed.has_value();
  release.model = units_.model(release.statistics, solution_from(row.theta, name));
  release.chain = hexadecimal(row.chain);
  return release;
}

void PublicHalf::scan(std::uint64_t from, std::uint64_t to, const std::function<void(const Release&)>& visit) {
  from = std::max<std::uint64_t>(from, 1);
  to = std::min<std::uint64_t>(to, std::numeric_limits<std::int64_t>::max());
  if (from > to) return;
  const std::uint64_t last = tip().step;
  if (from > last) return;
  std::string previous = chain(from - 1);
  std::uint64_t expected = from;
  Statement select(
      database_,
      "SELECT step, rows, statistics, theta, chain FROM public_release WHERE step BETWEEN ? AND ? ORDER BY step");
  select.bind(0, from).bind(1, std::min(to, last));
  while (select.next()) {
    const Row row{select.number(0), select.number(1), select.bytes(2), select.bytes(3), select.bytes(4)};
    if (row.step != expected) damaged("the release of step " + std::to_string(expected) + " is missing");
    const Release release = release_from(row, previous);
    previous.assign(row.chain);
    ++expected;
    visit(release);
  }
  if (expected <= std::min(to, last)) damaged("the release of step " + std::to_string(expected) + " is missing");
}

Release PublicHalf::read(std::uint64_t step) {
  Release result;
  scan(step, step, [&](const Release& release) { result = release; });
  if (result.statistics.step != step) damaged("the release of step " + std::to_string(step) + " is missing");
  return result;
}

void PublicHalf::append(const Statistics& statistics, const std::vector<double>& theta, Tip& tip) {
  if (statistics.step != tip.step + 1) throw Error("model: a release came out of order");
  const std::string numbers = statistics_bytes(statistics);
  // A lifted solution is mostly zeros, in a dimension that a matrix would not fit.
  const std::string solution =
      promise_->options.sketch ? sparse_vector_bytes(theta, room_of(*promise_)) : vector_bytes(theta);
  std::string chain = release_chain(tip.chain, statistics.step, statistics.rows, numbers, solution);
  insert_.bind(0, statistics.step)
      .bind(1, statistics.rows)
      .bind_bytes(2, numbers)
      .bind_bytes(3, solution)
      .bind_bytes(4, chain)
      .run();
  tip.step = statistics.step;
  tip.chain = std::move(chain);
}

std::vector<LedgerEntry> PublicHalf::ledger() {
  // Read first: the ledger may grow meanwhile.
  const Tip end = tip();
  std::vector<LedgerEntry> entries;
  std::string previous = promise_->digest;
  Statement select(database_, "SELECT entry, time, event, step, rows, detail, chain FROM public_ledger ORDER BY entry");
  while (select.next()) {
    entries.push_back(entry_from(select));
    if (entries.back().entry != entries.size()) damaged("an entry of its ledger is missing");
    previous = entry_chain(*promise_, previous, entries.back());
    if (previous != select.bytes(6)) damaged("an entry of its ledger does not fit its digest");
    if (entries.size() == end.entry && previous != end.ledger_chain) damaged("its ledger does not end where it should");
  }
  if (entries.size() < end.entry) damaged("an entry of its ledger is missing");
  if (entries.empty() || entries.front().event != "promise") damaged("its ledger does not begin with a promise");
  return entries;
}

void PublicHalf::enter(std::string_view event, std::uint64_t rows, std::string_view detail, Tip& tip) {
  const LedgerEntry entry{tip.entry + 1, now(), std::string(event), tip.step, rows, std::string(detail)};
  std::string chain = entry_chain(*promise_, tip.ledger_chain, entry);
  Statement insert(database_, "INSERT INTO public_ledger VALUES(?, ?, ?, ?, ?, ?, ?)");
  insert.bind(0, entry.entry)
      .bind_text(1, entry.time)
      .bind_text(2, entry.event)
      .bind(3, entry.step)
      .bind(4, entry.rows)
      .bind_text(5, entry.detail)
      .bind_bytes(6, chain)
      .run();
  tip.entry = entry.entry;
  tip.ledger_chain = std::move(chain);
}

void PublicHalf::put_tip(const Tip& tip) {
  write_tip(database_, *promise_, tip);
}

void PublicHalf::copy_to(Database& destination) {
  promise_->write(destination);
  write_tip(destination, *promise_, tip());
  Statement release(destination, "INSERT INTO public_release VALUES(?, ?, ?, ?, ?)");
  Statement releases(database_, "SELECT step, rows, statistics, theta, chain FROM public_release ORDER BY step");
  while (releases.next()) {
    release.bind(0, releases.number(0))
        .bind(1, releases.number(1))
        .bind_bytes(2, releases.bytes(2))
        .bind_bytes(3, releases.bytes(3))
        .bind_bytes(4, releases.bytes(4))
        .run();
  }
  Statement entry(destination, "INSERT INTO public_ledger VALUES(?, ?, ?, ?, ?, ?, ?)");
  Statement entries(database_,
                    "SELECT entry, time, event, step, rows, detail, chain FROM public_ledger ORDER BY entry");
  while (entries.next()) {
    entry.bind(0, entries.number(0))
        .bind_text(1, entries.text(1))
        .bind_text(2, entries.text(2))
        .bind(3, entries.number(3))
        .bind(4, entries.number(4))
        .bind_text(5, entries.text(5))
        .bind_bytes(6, entries.bytes(6))
        .run();
  }
}

}  // namespace rivulet::log
