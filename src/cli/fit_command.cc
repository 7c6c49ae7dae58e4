// `rivulet fit`: a stream of rows goes in, a private model comes out after every release step.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/fit_job.h"
#include "cli/fit_session.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Fit a private model to a stream of rows, published as the stream grows.\n"
    "\n"
    "Reads rows from a file (plain or gzip; see --format) or from standard input, and after every\n"
    "--release-every rows publishes the linear model of everything seen so far. All releases together\n"
    "are (epsilon, delta)-differentially private for every row, however long the stream goes on.\n"
    "\n"
    "Bounds are yours to declare, from what you know of the world and never from the data; values\n"
    "outside are moved to the nearest bound. A row that cannot be used (a missing or unreadable value,\n"
    "an undeclared category or class) counts as a zero row and never stops the stream.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "  A model of spending, a release every 100 people, releases to a file, the last model as a table:\n"
    "    rivulet fit survey.csv --target spend --features age,income --bound age=18:90 \\\n"
    "        --bound income=0:200000 --bound spend=0:5000 --epsilon 1 --delta 1e-6 \\\n"
    "        --release-every 100 --releases models.jsonl\n"
    "  From a pipe into a pipe, a release after every row:\n"
    "    tail -f events.csv | rivulet fit --config model.toml --releases - | jq .coefficients\n"
    "  Scores from at most 10 of 4000 words: libsvm rows through a sketch, whose sizes rivulet plan weighs:\n"
    "    rivulet fit reviews.svm --dimension 4000 --bound x=0:1 --bound y=-1:1 --no-intercept \\\n"
    "        --only-if 'nonzeros<=10' --constraint l1:2 --sketch auto --epsilon 1 --delta 1e-6 \\\n"
    "        --release-every 1000 --releases models.jsonl\n"
    "  Who buys, as probabilities (logistic regression by PrivIncERM), and how good they are on known rows:\n"
    "    rivulet fit visits.csv --target bought --classes no,yes --features age,income \\\n"
    "        --bound age=18:90 --bound income=0:200000 --epsilon 1 --delta 1e-6 --release-every 100 \\\n"
    "        --horizon 500 --constraint l2:6 --model bought.rivulet\n"
    "    rivulet predict bought.rivulet known.csv --score\n"
    "\n"
    "CONFIGURATION FILE (TOML; the same names as the flags, flags win)\n"
    "    target = \"spend\"\n"
    "    features = [\"age\", \"income\", \"region\"]\n"
    "    epsilon = 1.0\n"
    "    delta = 1e-6\n"
    "    release-every = 100\n"
    "    [bounds]\n"
    "    age = [18, 90]\n"
    "    income = [0, 200000]\n"
    "    spend = [0, 5000]\n"
    "    [levels]\n"
    "    region = [\"north\", \"south\"]\n"
    "\n"
    "OUTPUT\n"
    "  Each release is one JSON line: step, rows, intercept, coefficients (in your units), noise (standard\n"
    "  deviations of the private sums), epsilon, delta, neighbours. The table of the last model goes to\n"
    "  standard output, or to standard error when the releases go to standard output. Counts of unusable\n"
    "  rows go to standard error: they are exact, for the operator only. With a sketch, coefficients that\n"
    "  are not listed are 0. With classes, intercept and coefficients are those of a score: log-odds of the\n"
    "  positive class with the logistic loss. With --mechanism erm there are tau, the calls so far and the\n"
    "  noise of a call.\n"
    "\n"
    "EXIT CODES\n"
    "  0 done; 1 a file or stream could not be read or written; 2 bad request, no row was read and\n"
    "  nothing published; 3 the stream is longer than its horizon; 4 the model is in use, damaged or behind\n"
    "  what was published, or its input changed: nothing was read, published or changed; 130 interrupted\n"
    "  (with --model: 0, nothing is lost). After 1, 3 and 130 what was published stays valid.";

enum class Ending { input_ended, interrupted, reader_gone, horizon_exceeded, input_broken };

// The stream itself, from the first row to one of the endings.
class FitRun {
 public:
  FitRun(FitSession& session, bool quiet) : session_(session), progress_(quiet) {}

  Ending run() {
    Ending ending = follow();
    progress_.finish();
    if (ending != Ending::reader_gone && !session_.finish()) ending = Ending::reader_gone;
    return ending;
  }

  // Why the stream ended before its input did: horizon_exceeded and input_broken.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  Ending follow() {
    if (!session_.begin(progress_)) return stop_flag().load() ? Ending::interrupted : Ending::reader_gone;
    const input::FileSource& source = session_.source();
    earlier_rows_ = session_.counts().tally.rows;
    if (session_.options().erm) progress_.expect_long_work();
    input::Row row;
    while (read(row)) {
      try {
        const Progress::Work work = progress_.work(earlier_rows_ + session_.rows().tally().rows);
        if (!session_.observe(row)) return Ending::reader_gone;
      } catch (const HorizonExceeded& error) {
        reason_ = error.what();
        return Ending::horizon_exceeded;
      }
      if (progress_.due() && source.total_bytes()) progress_.share(source.position(), *source.total_bytes());
      progress_.row(session_.rows().tally().rows, session_.step());
      if (stop_flag().load(std::memory_order_relaxed)) return Ending::interrupted;
    }
    if (reader_gone_) return Ending::reader_gone;
    if (!reason_.empty()) return Ending::input_broken;
    if (session_.rows().stopped() || stop_flag().load()) return Ending::interrupted;
    const Progress::Work work = progress_.work(earlier_rows_ + session_.rows().tally().rows);
    // The rows since the last full step make a last, shorter one.
    return session_.end_of_input() ? Ending::input_ended : Ending::reader_gone;
  }

  // An input that fails halfway ends the stream; the releases made of its good part are still delivered.
  bool read(input::Row& row) {
    try {
      return session_.rows().next(row);
    } catch (const IoError& error) {
      reason_ = error.what();
      return false;
    } catch (const ReaderGone&) {
      reader_gone_ = true;
      return false;
    }
  }

  FitSession& session_;
  Progress progress_;
  std::string reason_;
  std::uint64_t earlier_rows_ = 0;  // of earlier runs
  bool reader_gone_ = false;
};

std::string releases_out(std::uint64_t releases) {
  return releases == 1 ? "1 release is out" : fmt::format("{} releases are out", releases);
}

std::string final_report(FitSession& session) {
  const StreamOptions& options = session.options();
  const ModelQuality quality = model_quality(options, session.last_statistics(), session.last_model());
  return model_table(session.last_model(), session.last_statistics(), options.schema, quality, table_options(options)) +
         "\n" + promise_or_warning(options, session.step()) + "\n";
}

int finish(FitSession& session, Ending ending, const std::string& reason) {
  tell(operator_note(session.counts(), session.options().sketch.has_value()));
  if (ending == Ending::reader_gone) {
    tell(fmt::format("rivulet: the reader of the releases has gone; stopped at release {}\n", session.step()));
    return kDone;
  }
  if (session.step() == 0) {
    tell("rivulet: no step was completed, so nothing was published\n");
  } else if (session.releases_on_stdout()) {
    tell(final_report(session));  // standard output belongs to the releases
  } else {
    print(final_report(session));
  }
  if (ending == Ending::input_ended && session.went_on() && session.rows().tally().rows == 0) {
    tell(fmt::format("rivulet: no new rows in {}\n", session.source().name()));
  }
  const std::optional<std::string> go_on = session.how_to_go_on();
  const std::string left =
      go_on ? *go_on : releases_out(session.step()) + ", rows after the last one were not published";
  switch (ending) {
    case Ending::interrupted:
      tell(fmt::format("rivulet: {}; {}\n", go_on ? "stopped" : "interrupted", left));
      return go_on ? kDone : kInterrupted;
    case Ending::horizon_exceeded:
      tell(fmt::format("rivulet: {}\n", reason));
      return kHorizonExceeded;
    case Ending::input_broken:
      tell(fmt::format("rivulet: {}; {}\n", reason, left));
      return kFailed;
    default:
      return kDone;
  }
}

std::unique_ptr<FitSession> make_session(const FitJob& job) {
  if (job.model) return make_durable_session(job);
  if (job.next_input || job.from_row || job.seen || job.whole_steps) {
    throw RequestError(job.next_input ? "next-input"
                       : job.from_row ? "from-row"
                       : job.seen     ? "seen"
                                      : "whole-steps",
                       "is for a stream that is kept in a file; accepted: together with --model FILE");
  }
  return make_memory_session(job);
}

// A stop before there was a header to read. A model that was there has lost nothing.
int stopped_early(const FitJob& job) {
  const bool kept = job.model && std::filesystem::exists(*job.model);
  tell(fmt::format("rivulet: {} before the first row; nothing was published{}\n", kept ? "stopped" : "interrupted",
                   kept ? ", and " + *job.model + " is as it was" : ""));
  return kept ? kDone : kInterrupted;
}

// What was gathered could not be kept or handed on.
int not_kept(const FitJob& job, const std::string& why) {
  tell(
      fmt::format("rivulet: {}; what was published up to now is safe in the model, and the same command{} goes on from "
                  "there once the cause is mended\n",
                  why, job.next_input ? " (without --next-input once it says that the input was counted)" : ""));
  return kFailed;
}

int fit(const FitFlags& flags) {
  const FitJob job = job_of(flags);
  if (job.releases) {
    refuse_overwriting(*job.releases, job.input.value_or("-"), "input");
    if (job.config) refuse_overwriting(*job.releases, *job.config, "configuration");
    if (job.model) refuse_overwriting(*job.releases, *job.model, "model");
  }
  std::unique_ptr<FitSession> session;
  try {
    session = make_session(job);
  } catch (const IoError&) {
    if (!stop_flag()) throw;
    return stopped_early(job);
  }
  FitRun run(*session, job.quiet);
  try {
    const Ending ending = run.run();
    return finish(*session, ending, run.reason());
  } catch (const NotKept& error) {
    return not_kept(job, error.what());
  } catch (const IoError& error) {
    if (!job.model) throw;
    return not_kept(job, error.what());
  }
}

}  // namespace

Runner declare_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_fit_flags(app, *flags);
  return [flags] { return fit(*flags); };
}

}  // namespace rivulet::cli
