#include "store/working_state.h"

#include "base/bytes.h"
#include "log/statistics_bytes.h"
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

// In front of the decoder's state while there are statistics without models; no decoder begins like this, which as the
// number of a step would be 2^60.
constexpr std::string_view kDrawnMark = "rivulet drawn 1";

// Of the same length whatever was drawn.
std::string with_drawn(std::span<const Statistics> drawn, std::string_view decoder) {
  if (drawn.empty()) return std::string(decoder);
  ByteWriter writer;
  writer.raw(kDrawnMark);
  writer.u64(drawn.size());
  for (const Statistics& statistics : drawn) {
    writer.u64(statistics.step);
    writer.u64(statistics.rows);
    writer.text(log::statistics_bytes(statistics));
  }
  writer.raw(decoder);
  return writer.take();
}

// Takes them away from what stands in front of the decoder's state.
std::vector<Statistics> take_drawn(std::string& decoder, const log::Promise& promise, const log::Tip& tip,
                                   std::uint64_t rows, const std::string& path) {
  std::vector<Statistics> drawn;
  if (!decoder.starts_with(kDrawnMark)) return drawn;
  const std::string what = "model: '" + path + "': a step that was drawn";
  ByteReader reader(decoder, what);
  (void)reader.raw(kDrawnMark.size());
  constexpr std::size_t kSmallest = 8 + 8 + 8;
  const std::size_t count = reader.count(kSmallest);
  std::size_t length = kDrawnMark.size() + 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t step = reader.u64();
    const std::uint64_t rows_then = reader.u64();
    const std::string_view bytes = reader.text();
    length += kSmallest + bytes.size();
    if (step != tip.step + 1 + i || rows_then > rows || (i > 0 && rows_then <= drawn.back().rows)) {
      reader.damaged("it does not follow the one before");
    }
    drawn.push_back(
        log::parse_statistics(bytes, promise.plan.statistics_dimension(), promise.plan.has_target_square(), what));
    drawn.back().step = step;
    drawn.back().rows = rows_then;
    drawn.back().not_private = promise.options.insecure_seed.has_value();
  }
  if (drawn.empty() || drawn.back().rows != rows) reader.damaged("it is not the last");
  decoder.erase(0, length);
  return drawn;
}

}  // namespace

WorkingState read_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Promise& promise,
                                const log::Tip& tip) {
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
  state.drawn = take_drawn(state.regression.decoder, promise, tip, state.regression.released_rows, database.path());
  return state;
}

void write_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Tip& tip,
                         const RegressionState& regression, std::span<const Statistics> drawn, std::string_view source,
                         std::uint64_t delivered, std::uint64_t commits) {
  const std::string decoder = with_drawn(drawn, regression.decoder);
  log::Statement(database,
                 "INSERT INTO public_state VALUES(1, ?, ?, ?, ?, ?, 0) ON CONFLICT(id) DO UPDATE SET"
                 " steps = excluded.steps, rows = excluded.rows, decoder = excluded.decoder,"
                 " delivered = excluded.delivered, commits = excluded.commits, needs_log = 0")
      .bind(0, tip.step)
      .bind(1, regression.released_rows)
      .bind_bytes(2, decoder)
      .bind(3, delivered)
      .bind(4, commits)
      .run();
  sensitive.write(regression.sensitive, source, context_of(tip, regression.released_rows, decoder, delivered, commits));
}

void note_log_needed(log::Database& database) {
  database.execute("UPDATE public_state SET needs_log = 1 WHERE id = 1");
}

}  // namespace rivulet::store
