// `rivulet fit --model`: rows, releases and the place in the input live in a model file, and nothing is handed on
// before it is there.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "base/number_text.h"
#include "cli/console.h"
#include "cli/fit_session.h"
#include "cli/operator_counts.h"
#include "cli/release_writer.h"
#include "cli/source_state.h"
#include "fit/mechanism.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/durable_regression.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Rows and releases that come faster than this share a commit. A source that pauses is committed at once.
constexpr std::chrono::milliseconds kCommitInterval{100};

constexpr const char* kOrNextInput = "; or, for an input that follows those that were counted, --next-input";

std::string absolute(const std::string& path) {
  return path == "-" ? path : std::filesystem::absolute(path).string();
}

class DurableSession final : public FitSession {
 public:
  explicit DurableSession(const FitJob& job) : whole_steps_(job.whole_steps), from_row_(job.from_row) {
    if (job.seen) seen_ = parse_seen(*job.seen);
    if (std::filesystem::exists(*job.model)) {
      open_existing(*job.model, job);
    } else {
      make_new(*job.model, job);
    }
  }

  bool begin(Progress& progress) override {
    account_.go_on(counts_in(state_), *regression_);
    if (resuming_ && !resume(progress)) return false;
    if (from_row_ && !skip_counted_rows()) return false;
    try {
      if (!writer_) open_sink(regression_->options(), regression_->plan());
    } catch (const IoError&) {
      if (!stop_flag()) throw;
      return false;  // a pipe that nobody came to read from
    }
    begun_ = true;
    // A crash before the first step is out must not make it forget where its rows come from.
    // Nor what was said about rows that came from elsewhere: it need not be said again.
    if (regression_->source().empty() || from_row_ || was_told_) regression_->commit(to_bytes(state_));
    source_->before_waiting([this] { commit_when_idle(); });
    return catch_up();
  }

  input::RowSource& rows() override { return *rows_; }
  [[nodiscard]] const input::FileSource& source() const override { return *source_; }

  bool observe(const input::Row& row) override {
    const bool released = observe_row(*regression_, row);
    account_.took(row, rows_->tally(), *regression_);
    uncommitted_ = true;
    return !released || !is_time_to_commit() || commit();
  }

  bool end_of_input() override {
    if (!whole_steps_ && regression_->flush()) uncommitted_ = true;
    return commit();
  }

  bool finish() override {
    if (!begun_) return true;  // what was typed has not been checked: the model stays as it was
    const bool delivered = commit();
    regression_->close(to_bytes(state_));  // the ledger's last word, and what was delivered
    return delivered;
  }

  [[nodiscard]] std::uint64_t step() const override { return regression_->committed_step(); }
  [[nodiscard]] const StreamOptions& options() const override { return regression_->options(); }
  Statistics last_statistics() override { return regression_->committed(step(), step()).at(0).statistics; }
  Model last_model() override { return regression_->committed(step(), step()).at(0).model; }
  [[nodiscard]] bool releases_on_stdout() const override { return state_.releases == "-"; }
  [[nodiscard]] OperatorCounts counts() const override { return account_.counts(*regression_); }

  [[nodiscard]] bool went_on() const override { return resuming_; }
  [[nodiscard]] std::optional<std::string> how_to_go_on() const override {
    const std::uint64_t waiting = regression_->waiting_rows();
    return fmt::format(
        "{} release{} and {} row{} of the next step are safe in {}; to go on: rivulet fit --model {}{}{}", step(),
        step() == 1 ? "" : "s", waiting, waiting == 1 ? "" : "s", regression_->path(), shell_word(regression_->path()),
        whole_steps_ ? " --whole-steps" : "", state_.input == "-" ? " - (and the same input from its beginning)" : "");
  }

 private:
  // Nothing is made before the input and the place for the releases have turned out well.
  void make_new(const std::string& path, const FitJob& job) {
    if (job.next_input || from_row_ || seen_) {
      throw RequestError(job.next_input ? "next-input"
                         : from_row_    ? "from-row"
                                        : "seen",
                         "'" + path + "' does not exist yet; accepted with a model that has been fitted before");
    }
    const StreamOptions options = job.request();
    const IncrementalRegression checked(options);  // every refusal there is, before anything is touched
    state_.input = absolute(job.input.value_or("-"));
    state_.format = job.row_format();
    state_.delimiter = job.delimiter.value_or(',');
    state_.releases = job.releases ? absolute(*job.releases) : "";
    open_source(options);
    ask_sink(path);
    if (tail_.step != 0) {
      throw RequestError("releases", "'" + state_.releases +
                                         "' holds the releases of another model, and this one is new; accepted: a new "
                                         "file; it was left untouched");
    }
    open_sink(checked.options(), checked.plan());
    regression_ = std::make_unique<DurableRegression>(DurableRegression::create(path, options));
  }

  void open_existing(const std::string& path, const FitJob& job) {
    regression_ = std::make_unique<DurableRegression>(DurableRegression::open(path));
    fit::require_same_request(regression_->options(), request::with_dimension(job.settings));
    state_ = source_state_from(regression_->source());
    mind_rows_from_elsewhere(job.input, job.next_input);
    if (job.next_input) {
      if (!job.input) {
        throw RequestError("next-input", "needs the new input, e.g. rivulet fit --model M --next-input tuesday.csv");
      }
      begin_next_input(state_, absolute(*job.input));
      state_.format = job.row_format();
    } else if (job.input) {
      state_.input = absolute(*job.input);
    }
    if (job.format) state_.format = *job.format;
    if (job.delimiter) state_.delimiter = *job.delimiter;
    resuming_ = state_.started();
    if (job.releases) state_.releases = absolute(*job.releases);
    open_source_again();
    ask_sink(path);
    regression_->require_published(tail_.step, tail_.chain);
    if (seen_) regression_->require_published(seen_->step, seen_->chain);
  }

  // Rows may have come through another door, and may be those of this input: nobody but the user knows.
  void mind_rows_from_elsewhere(const std::optional<std::string>& input, bool next_input) {
    const std::uint64_t elsewhere = regression_->rows() - std::min(state_.tally.rows, regression_->rows());
    if (elsewhere <= state_.elsewhere) return;
    if (!next_input && !from_row_) throw ModelConflict(about_rows_from_elsewhere(elsewhere, input));
    state_.elsewhere = elsewhere;
    was_told_ = true;
  }

  [[nodiscard]] std::string about_rows_from_elsewhere(std::uint64_t elsewhere,
                                                      const std::optional<std::string>& input) const {
    const std::string name = input ? absolute(*input) : state_.input;
    return fmt::format(
        "model: '{}' holds {} that came from no input of this command ({}), and rows of {} may be among them: counted "
        "twice, they would break the promise. To go on, say which: --from-row N if the first N rows of this input were "
        "counted (all of them from its beginning: {}), or --next-input if all its rows are new. Nothing was read, "
        "published or changed",
        regression_->path(), counted(elsewhere), doors_text(regression_->doors(), elsewhere),
        name == "-" ? "standard input" : "'" + name + "'", regression_->rows());
  }

  // Counted elsewhere, they are as consumed as those that were counted here; where this is behind already, e.g. because
  // the same command is given again, nothing is skipped. False when a stop was asked for.
  bool skip_counted_rows() {
    if (!rows_->skip_to(*from_row_)) return false;
    state_.position = rows_->position();
    return true;
  }

  // Past the rows that were counted. False when a stop was asked for.
  bool resume(Progress& progress) {
    try {
      const auto show = [&](std::uint64_t so_far, std::uint64_t all) { progress.reading_again(so_far, all); };
      if (!rows_->resume(state_.position, show)) return false;
    } catch (const input::SourceChanged& error) {
      throw input::SourceChanged(error.what() + std::string(kOrNextInput));
    }
    if (rows_->skipped_remainder()) {
      tell(
          "operator only, do not publish: the last line of the input was counted before it was complete; what has been "
          "added to that line since was skipped\n");
    }
    return true;
  }

  void open_source(const StreamOptions& options) {
    source_ = std::make_unique<input::FileSource>(state_.input, &stop_flag());
    rows_ = input::open_rows(*source_, options.schema,
                             {.format = state_.format,
                              .delimiter = state_.delimiter,
                              .unit_column = unit_column(options),
                              .track_position = true});
  }

  // An input that was read before had a header with these columns: one that has not is another input.
  void open_source_again() {
    try {
      open_source(regression_->options());
    } catch (const RequestError& error) {
      if (!resuming_) throw;
      throw input::SourceChanged(std::string(error.what()) +
                                 "; rows of this input were counted before, under a header with these columns. No new "
                                 "row was read and nothing was published" +
                                 kOrNextInput);
    } catch (const IoError&) {
      const bool is_empty = source_ && source_->total_bytes() == 0U;
      if (!resuming_ || !is_empty || stop_flag()) throw;
      throw input::SourceChanged(source_->name() +
                                 ": is empty, and rows of it were counted before; no new row was read and nothing was "
                                 "published; accepted: the same file, with rows appended at its end" +
                                 kOrNextInput);
    }
  }

  // What the place for the releases has seen; changes nothing.
  void ask_sink(const std::string& model) {
    remembers_ = !state_.releases.empty() && remembers_releases(state_.releases);
    if (!remembers_) return;
    refuse_overwriting(state_.releases, state_.input, "input");
    refuse_model_as_sink(state_.releases, model);
    tail_ = tail_of(state_.releases);
  }

  void open_sink(const StreamOptions& options, const fit::StreamPlan& plan) {
    if (state_.releases.empty()) return;
    writer_ =
        ReleaseWriter::appending(state_.releases, release_form(options, plan), tail_.complete_bytes, tail_.all_bytes);
  }

  // Models are searched for when their steps are on disk: what the waiting ones will take counts as if it were over.
  // The last release of a promise is not kept waiting: a row that comes after it is not taken, and must not be taken
  // for one that was.
  [[nodiscard]] bool is_time_to_commit() const {
    if (!release_takes_) return true;
    const auto search = *release_takes_ * static_cast<double>(regression_->waiting_releases());
    return Clock::now() - last_commit_ + search >= kCommitInterval || regression_->commit_is_due() ||
           regression_->committed_step() + regression_->waiting_releases() == regression_->plan().last_step();
  }

  void commit_when_idle() {
    // With nothing to publish there is no hurry: a slow trickle of rows need not be a trickle of fsyncs.
    if (regression_->waiting_releases() == 0 && Clock::now() - last_commit_ < kCommitInterval) return;
    try {
      if (!commit()) throw ReaderGone();
    } catch (const IoError& error) {
      throw NotKept(error.what());
    }
  }

  bool commit() {
    if (!uncommitted_) return true;
    const OperatorCounts counted = counts();
    state_.position = rows_->position();
    state_.tally = counted.tally;
    state_.over_limit = counted.over_limit;
    state_.outside_domain = counted.outside_domain;
    state_.distorted = counted.distorted;
    const Clock::time_point begin = Clock::now();
    const std::vector<Release> published = regression_->commit(to_bytes(state_));
    uncommitted_ = false;
    last_commit_ = Clock::now();
    if (!published.empty()) {
      // A release in many may be the costly one, as PrivIncERM's are: what was long is not forgotten at once.
      const std::chrono::duration<double> took = (last_commit_ - begin) / static_cast<double>(published.size());
      release_takes_ = std::max(took, 0.9 * release_takes_.value_or(took));
    }
    return deliver(published);
  }

  // What was committed and, because of a crash or a new place for the releases, has not arrived there.
  bool catch_up() {
    constexpr std::uint64_t kAtATime = 1024;
    if (!writer_) return true;
    const std::uint64_t last = remembers_ ? tail_.step : seen_ ? seen_->step : regression_->delivered();
    for (std::uint64_t from = last + 1; from <= regression_->committed_step(); from += kAtATime) {
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

  bool whole_steps_;
  std::optional<std::uint64_t> from_row_;
  std::optional<Seen> seen_;
  bool was_told_ = false;  // about rows that came from elsewhere
  std::unique_ptr<DurableRegression> regression_;
  std::unique_ptr<input::FileSource> source_;
  std::unique_ptr<input::RowSource> rows_;
  std::unique_ptr<ReleaseWriter> writer_;
  SourceState state_;
  SinkTail tail_;
  RowAccount account_;
  bool resuming_ = false;
  bool begun_ = false;      // the input is the one that was counted
  bool remembers_ = false;  // the sink knows what it has seen
  bool uncommitted_ = false;
  Clock::time_point last_commit_ = Clock::now();
  std::optional<std::chrono::duration<double>> release_takes_;  // to commit one; not known before the first
};

}  // namespace

std::unique_ptr<FitSession> make_durable_session(const FitJob& job) {
  return std::make_unique<DurableSession>(job);
}

}  // namespace rivulet::cli
