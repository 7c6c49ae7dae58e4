#include "store/working_state.h"

#include "base/bytes.h"
#include "rivulet/error.h"

namespace rivulet::store {
namespace {

// What a kernel state belongs to: a state of another commit does not fit its seal.
std::string context_of(const log::Tip& tip, std::uint64_t rows, std::string_view decoder, std::uint64_t delivered,
                       std::uint64_t commits) {
  ByteWriter writer;
  writer.text(tip.chain);
  writer.u64(tip.step);
  writer.u64(rows);
  writer.text(decoder);
  writer.u64(delivered);
  writer.u64(commits);
  return writer.take();
}

}  // namespace

WorkingState read_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Tip& tip) {
  WorkingState state;
  {
    log::Statement select(database, "SELECT steps, rows, decoder, delivered, commits FROM public_state WHERE id = 1");
    if (!select.next()) throw DamagedFile("model: '" + database.path() + "' is damaged: it has no state to go on from");
    if (select.number(0) != tip.step) {
      throw DamagedFile("model: '" + database.path() +
                        "' is damaged: its state is of another step than its last release");
    }
    state.regression.released_rows = select.number(1);
    state.regression.decoder.assign(select.bytes(2));
    state.delivered = select.number(3);
    state.commits = select.number(4);
  }
  state.regression.sensitive = sensitive.read(
      state.source,
      context_of(tip, state.regression.released_rows, state.regression.decoder, state.delivered, state.commits));
  return state;
}

void write_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Tip& tip,
                         const RegressionState& regression, std::string_view source, std::uint64_t delivered,
                         std::uint64_t commits) {
  log::Statement(database,
                 "INSERT INTO public_state VALUES(1, ?, ?, ?, ?, ?, 0) ON CONFLICT(id) DO UPDATE SET"
                 " steps = excluded.steps, rows = excluded.rows, decoder = excluded.decoder,"
                 " delivered = excluded.delivered, commits = excluded.commits, needs_log = 0")
      .bind(0, tip.step)
      .bind(1, regression.released_rows)
      .bind_bytes(2, regression.decoder)
      .bind(3, delivered)
      .bind(4, commits)
      .run();
  sensitive.write(regression.sensitive, source,
                  context_of(tip, regression.released_rows, regression.decoder, delivered, commits));
}

void note_log_needed(log::Database& database) {
  database.execute("UPDATE public_state SET needs_log = 1 WHERE id = 1");
}

}  // namespace rivulet::store
