// `rivulet fit --model`: rows, releases and the place in the input live in a model file, and nothing is handed on before
// it is there.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cli/console.h"
#include "cli/fit_options.h"
#include "cli/fit_session.h"
#include "cli/release_sink.h"
#include "cli/release_writer.h"
#include "cli/source_state.h"
#include "cli/stop_flag.h"
#include "rivulet/durable_regression.h"
#include "rivulet/error.h"
#include "stream/byte_source.h"
#include "stream/number_text.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Rows and releases that come faster than this share a commit. A source that pauses is committed at once.
constexpr std::chrono::milliseconds kCommitInterval{100};
constexpr std::size_t kMostWaitingReleases = 4096;

std::string absolute(const std::string& path) {
  return path == "-" ? path : std::filesystem::absolute(path).string();
}

struct Seen {
  std::uint64_t step = 0;
  std::string chain;
};

// "STEP:CHAIN".
Seen parse_seen(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.size() - colon - 1 < 16) {
    throw RequestError("seen", stream::shown(text) +
                                   " is not accepted; accepted: STEP:CHAIN, the two as they stand in the last release "
                                   "line that arrived, e.g. 120:9f3a61c0d2b4e857...");
  }
  return {stream::parse_positive_whole(text.substr(0, colon), "seen"), text.substr(colon + 1)};
}

class DurableSession final : public FitSession {
 public:
  DurableSession(const stream::FitConfig& config, const FitFlags& flags) {
    if (config.whole_steps) whole_steps_ = *config.whole_steps;
    if (flags.seen) seen_ = parse_seen(*flags.seen);
    const std::string& path = *config.model;
    if (std::filesystem::exists(path)) {
      open_existing(path, config, flags);
    } else {
      make_new(path, config, flags);
    }
  }

  bool begin(Progress& progress) override {
    if (resuming_) {
      const auto show = [&](std::uint64_t bytes) { progress.reading_again(bytes, state_.position.bytes); };
      if (!rows_->resume(state_.position, show)) return false;
      if (rows_->skipped_remainder()) {
        tell("operator only, do not publish: the last line of the input was counted before it was complete; what has been "
             "added to that line since was skipped\n");
      }
    }
    earlier_tally_ = state_.tally;
    source_->before_waiting([this] { commit_when_idle(); });
    return catch_up();
  }

  stream::CsvRowSource& rows() override { return *rows_; }
  [[nodiscard]] const stream::FileSource& source() const override { return *source_; }

  bool observe(const stream::Row& row) override {
    if (reader_gone_) return false;
    const bool released = regression_->options().unit ? regression_->observe(row.values, row.target, row.unit)
                                                      : regression_->observe(row.values, row.target);
    uncommitted_ = true;
    if (!released) return true;
    return (Clock::now() - last_commit_ < kCommitInterval && regression_->waiting_releases() < kMostWaitingReleases) ||
           commit();
  }

  bool end_of_input() override {
    if (!whole_steps_ && regression_->flush()) uncommitted_ = true;
    return commit();
  }

  bool finish() override {
    const bool delivered = commit();
    regression_->close(to_bytes(state_));  // the ledger's last word, and what was delivered
    return delivered;
  }

  [[nodiscard]] std::uint64_t step() const override { return regression_->committed_step(); }
  [[nodiscard]] const PrivIncReg1::Options& options() const override { return regression_->options(); }
  Statistics last_statistics() override { return regression_->committed(step(), step()).at(0).statistics; }
  Model last_model() override { return regression_->committed(step(), step()).at(0).model; }
  [[nodiscard]] stream::OperatorTally tally() const override {
    stream::OperatorTally sum = earlier_tally_;
    return sum += rows_->tally();
  }
  [[nodiscard]] std::uint64_t over_limit_rows() const override {
    return regression_->regression().over_limit_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t outside_domain_rows() const override {
    return regression_->regression().unusable_rows_for_operator() - over_limit_rows() - tally().unusable();
  }

  [[nodiscard]] bool went_on() const override { return resuming_; }
  [[nodiscard]] std::optional<std::string> how_to_go_on() const override {
    const std::uint64_t waiting = regression_->regression().waiting_rows();
    std::string text = fmt::format("{} with {} is safe in {}", step() == 1 ? "1 release" : fmt::format("{} releases", step()),
                                   waiting == 1 ? "1 row of the next step"
                                                : fmt::format("{} rows of the next step", waiting),
                                   regression_->path());
    return text + fmt::format("; to go on: rivulet fit --model {}{}", regression_->path(),
                              state_.input == "-" ? " - (and the same input from its beginning)" : "");
  }

 private:
  // Nothing is made before the input and the place for the releases have turned out well.
  void make_new(const std::string& path, const stream::FitConfig& config, const FitFlags& flags) {
    if (flags.next_input || seen_) {
      throw RequestError(flags.next_input ? "next-input" : "seen",
                         "'" + path + "' does not exist yet; accepted with a model that has been fitted before");
    }
    const PrivIncReg1::Options options = options_from(config, resolve_insecure_seed(flags));
    const PrivIncReg1 checked(options);  // every refusal there is, before anything is touched
    state_.input = absolute(config.input.value_or("-"));
    state_.delimiter = config.delimiter.value_or(',');
    state_.releases = config.releases ? absolute(*config.releases) : "";
    open_source(options);
    const SinkTail tail = sink_tail();
    if (tail.step != 0) {
      throw RequestError("releases", "'" + state_.releases +
                                         "' holds the releases of another model, and this one is new; accepted: a new "
                                         "file; it was left untouched");
    }
    regression_ = std::make_unique<DurableRegression>(DurableRegression::create(path, options));
    open_sink(tail);
  }

  void open_existing(const std::string& path, const stream::FitConfig& config, const FitFlags& flags) {
    regression_ = std::make_unique<DurableRegression>(DurableRegression::open(path));
    require_same_request(regression_->options(), config, resolve_insecure_seed(flags));
    state_ = source_state_from(regression_->source());
    if (flags.next_input) {
      begin_next_input(config);
    } else {
      if (config.input) state_.input = absolute(*config.input);
      if (config.delimiter) state_.delimiter = *config.delimiter;
    }
    resuming_ = state_.started();
    if (config.releases) state_.releases = absolute(*config.releases);
    open_source(regression_->options());
    const SinkTail tail = sink_tail();
    regression_->require_published(tail.step, tail.chain);
    if (seen_) regression_->require_published(seen_->step, seen_->chain);
    open_sink(tail);
  }

  void begin_next_input(const stream::FitConfig& config) {
    if (!config.input) {
      throw RequestError("next-input", "needs the new input, e.g. rivulet fit --model M --next-input tuesday.csv");
    }
    state_.input = absolute(*config.input);
    if (config.delimiter) state_.delimiter = *config.delimiter;
    // An input without rows is recognised by nothing but its header.
    if (state_.position.records != 0) state_.finished.push_back(state_.position);
    state_.position = {};
    if (state_.input == "-") return;
    // Rows that were counted are not counted again under another name. A pipe cannot be looked at twice.
    for (const stream::SourcePosition& finished : state_.finished) {
      stream::FileSource again(state_.input, &stop_flag());
      if (again.total_bytes() && stream::starts_with(again, finished)) {
        throw RequestError("next-input", "'" + state_.input +
                                             "' begins with an input that was already counted; accepted: an input "
                                             "whose rows are all new. Nothing was read or published");
      }
    }
  }

  void open_source(const PrivIncReg1::Options& options) {
    source_ = std::make_unique<stream::FileSource>(state_.input, &stop_flag());
    std::optional<std::string> unit;
    if (options.unit) unit = options.unit->name;
    rows_ = std::make_unique<stream::CsvRowSource>(
        *source_, options.schema,
        stream::CsvRowOptions{
            .csv = {.delimiter = state_.delimiter}, .unit_column = std::move(unit), .track_position = true});
  }

  [[nodiscard]] SinkTail sink_tail() const {
    if (state_.releases.empty() || !remembers_releases(state_.releases)) return {};
    refuse_overwriting(state_.releases, state_.input, "input");
    return tail_of(state_.releases);
  }

  void open_sink(const SinkTail& tail) {
    if (state_.releases.empty()) return;
    writer_ = ReleaseWriter::appending(state_.releases, constant_part(regression_->options()), tail.complete_bytes);
    remembers_ = remembers_releases(state_.releases);
    const std::uint64_t last = remembers_ ? tail.step : seen_ ? seen_->step : regression_->delivered();
    first_undelivered_ = last + 1;
  }

  void commit_when_idle() {
    // With nothing to publish there is no hurry: a slow trickle of rows need not be a trickle of fsyncs.
    if (regression_->waiting_releases() == 0 && Clock::now() - last_commit_ < kCommitInterval) return;
    if (!commit()) reader_gone_ = true;
  }

  bool commit() {
    if (!uncommitted_) return true;
    state_.position = rows_->position();
    state_.tally = tally();
    state_.over_limit = over_limit_rows();
    state_.outside_domain = outside_domain_rows();
    const std::vector<Release> published = regression_->commit(to_bytes(state_));
    uncommitted_ = false;
    last_commit_ = Clock::now();
    return deliver(published);
  }

  // What was committed and, because of a crash or a new place for the releases, has not arrived there.
  bool catch_up() {
    constexpr std::uint64_t kAtATime = 1024;
    if (!writer_) return true;
    for (std::uint64_t from = first_undelivered_; from <= regression_->committed_step(); from += kAtATime) {
      if (!deliver(regression_->committed(from, from + kAtATime - 1))) return false;
    }
    return true;
  }

  bool deliver(const std::vector<Release>& releases) {
    if (!writer_ || releases.empty()) return true;
    for (const Release& release : releases) {
      if (!writer_->write(release.model, release.chain)) return false;
    }
    if (!writer_->flush()) return false;
    if (!remembers_) regression_->set_delivered(releases.back().model.step);
    return true;
  }

  bool whole_steps_ = false;
  std::optional<Seen> seen_;
  std::unique_ptr<DurableRegression> regression_;
  std::unique_ptr<stream::FileSource> source_;
  std::unique_ptr<stream::CsvRowSource> rows_;
  std::unique_ptr<ReleaseWriter> writer_;
  SourceState state_;
  stream::OperatorTally earlier_tally_;
  bool resuming_ = false;
  bool remembers_ = false;  // the sink knows what it has seen
  bool uncommitted_ = false;
  bool reader_gone_ = false;
  std::uint64_t first_undelivered_ = 1;
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace

std::unique_ptr<FitSession> make_durable_session(const stream::FitConfig& config, const FitFlags& flags) {
  return std::make_unique<DurableSession>(config, flags);
}

}  // namespace rivulet::cli
