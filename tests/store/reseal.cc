// Written from the description of the format, not from the code that writes it: both must agree.
#include "store/reseal.h"

#include <array>

#include "base/bytes.h"
#include "log/statistics_bytes.h"

namespace rivulet::store_testing {
namespace {

using log::Digest;
using Values = PlainSqlite::Values;

std::string numbers(std::initializer_list<std::uint64_t> values) {
  ByteWriter writer;
  for (const std::uint64_t value : values) writer.u64(value);
  return writer.take();
}

std::string meta(PlainSqlite& database, const std::string& key) {
  return database.value("SELECT value FROM public_meta WHERE key = '" + key + "'");
}

std::uint64_t number(const std::string& text) {
  return std::stoull(text);
}

struct Ends {
  std::uint64_t step = 0;
  std::string chain;
  std::uint64_t entry = 0;
  std::string ledger_chain;
};

void reseal_releases(PlainSqlite& database, const std::string& promise, Ends& ends) {
  for (const Values& row : database.rows("SELECT step, rows, statistics, theta FROM public_release ORDER BY step")) {
    ends.step = number(row[0]);
    ends.chain = Digest()
                     .add("rivulet release 1")
                     .add(promise)
                     .add(ends.chain)
                     .add(numbers({ends.step, number(row[1]), row[2].size()}))
                     .add(row[2])
                     .add(row[3])
                     .finish();
    database.rows("UPDATE public_release SET chain = ? WHERE step = " + row[0], {ends.chain});
  }
}

void reseal_ledger(PlainSqlite& database, const std::string& promise, Ends& ends) {
  for (const Values& row :
       database.rows("SELECT entry, time, event, step, rows, detail FROM public_ledger ORDER BY entry")) {
    ends.entry = number(row[0]);
    ByteWriter fields;
    fields.u64(ends.entry);
    fields.text(row[1]);
    fields.text(row[2]);
    fields.u64(number(row[3]));
    fields.u64(number(row[4]));
    fields.text(row[5]);
    ends.ledger_chain =
        Digest().add("rivulet ledger 1").add(promise).add(ends.ledger_chain).add(fields.bytes()).finish();
    database.rows("UPDATE public_ledger SET chain = ? WHERE entry = " + row[0], {ends.ledger_chain});
  }
}

void reseal_tip(PlainSqlite& database, const std::string& promise, const Ends& ends) {
  const std::string seal = Digest()
                               .add("rivulet tip 1")
                               .add(promise)
                               .add(numbers({ends.step, ends.entry}))
                               .add(ends.chain)
                               .add(ends.ledger_chain)
                               .finish();
  database.rows("UPDATE public_tip SET step = " + std::to_string(ends.step) +
                    ", entry = " + std::to_string(ends.entry) + ", chain = ?, ledger_chain = ?, seal = ?",
                {ends.chain, ends.ledger_chain, seal});
}

void reseal_state(PlainSqlite& database, const Ends& ends) {
  std::array<std::uint64_t, 4> lanes{};
  std::uint64_t units = 0;
  for (const Values& row : database.rows("SELECT tag, rows FROM sensitive_unit")) {
    const std::string digest = Digest().add("rivulet unit 1").add(row[0]).add(numbers({number(row[1])})).finish();
    ByteReader reader(digest, "digest");
    for (std::uint64_t& lane : lanes) lane += reader.u64();
    ++units;
  }
  const std::string sum = numbers({lanes[0], lanes[1], lanes[2], lanes[3]});
  const Values state = database.rows("SELECT rows, decoder, delivered, commits FROM public_state").at(0);
  ByteWriter context;
  context.text(ends.chain);
  context.u64(ends.step);
  context.u64(number(state[0]));
  context.text(state[1]);
  context.u64(number(state[2]));
  context.u64(number(state[3]));
  const Values sensitive = database.rows("SELECT kernel, source FROM sensitive_state").at(0);
  const std::string seal = Digest()
                               .add("rivulet state 1")
                               .add(numbers({sensitive[0].size(), sensitive[1].size(), units}))
                               .add(sum)
                               .add(sensitive[0])
                               .add(sensitive[1])
                               .add(context.bytes())
                               .finish();
  database.rows("UPDATE public_state SET steps = " + std::to_string(ends.step));
  database.rows("UPDATE sensitive_state SET units = " + std::to_string(units) + ", unit_sum = ?, seal = ?",
                {sum, seal});
}

}  // namespace

Alteration::Alteration(const std::string& path) : database_(path) {
  triggers_ = database_.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
  for (const Values& trigger : triggers_) database_.run("DROP TRIGGER " + trigger[0]);
}

Alteration::~Alteration() {
  for (const Values& trigger : triggers_) database_.attempt(trigger[1]);
}

void reseal_promise(PlainSqlite& database) {
  ByteWriter fields;
  for (const char* key : {"request", "decisions", "made_by", "model"}) fields.text(meta(database, key));
  const std::string digest = Digest().add("rivulet promise 1").add(fields.bytes()).finish();
  database.rows("UPDATE public_meta SET value = ? WHERE key = 'promise'", {digest});
}

void reseal(PlainSqlite& database) {
  reseal_promise(database);
  const std::string promise = meta(database, "promise");
  Ends ends{0, promise, 0, promise};
  reseal_releases(database, promise, ends);
  reseal_ledger(database, promise, ends);
  reseal_tip(database, promise, ends);
  if (meta(database, "kind") == "model") reseal_state(database, ends);
}

}  // namespace rivulet::store_testing
