// `rivulet fit`: a stream of rows goes in, a private model comes out after every release step.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/fit_flags.h"
#include "cli/fit_session.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/stop_flag.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

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

std::unique_ptr<FitSession> make_session(const stream::FitConfig& config, const FitFlags& flags) {
  if (config.model) return make_durable_session(config, flags);
  if (flags.next_input || flags.from_row || flags.seen || config.whole_steps.value_or(false)) {
    throw RequestError(flags.next_input ? "next-input"
                       : flags.from_row ? "from-row"
                       : flags.seen     ? "seen"
                                        : "whole-steps",
                       "is for a stream that is kept in a file; accepted: together with --model FILE");
  }
  return make_memory_session(config, flags);
}

// A stop before there was a header to read. A model that was there has lost nothing.
int stopped_early(const stream::FitConfig& config) {
  const bool kept = config.model && std::filesystem::exists(*config.model);
  tell(fmt::format("rivulet: {} before the first row; nothing was published{}\n", kept ? "stopped" : "interrupted",
                   kept ? ", and " + *config.model + " is as it was" : ""));
  return kept ? kDone : kInterrupted;
}

// What was gathered could not be kept or handed on.
int not_kept(const FitFlags& flags, const std::string& why) {
  tell(
      fmt::format("rivulet: {}; what was published up to now is safe in the model, and the same command{} goes on from "
                  "there once the cause is mended\n",
                  why, flags.next_input ? " (without --next-input once it says that the input was counted)" : ""));
  return kFailed;
}

int fit(const FitFlags& flags) {
  const stream::FitConfig config = resolve(flags);
  if (config.releases) {
    refuse_overwriting(*config.releases, config.input.value_or("-"), "input");
    if (flags.config) refuse_overwriting(*config.releases, *flags.config, "configuration");
    if (config.model) refuse_overwriting(*config.releases, *config.model, "model");
  }
  std::unique_ptr<FitSession> session;
  try {
    session = make_session(config, flags);
  } catch (const IoError&) {
    if (!stop_flag()) throw;
    return stopped_early(config);
  }
  FitRun run(*session, flags.quiet);
  try {
    const Ending ending = run.run();
    return finish(*session, ending, run.reason());
  } catch (const NotKept& error) {
    return not_kept(flags, error.what());
  } catch (const IoError& error) {
    if (!config.model) throw;
    return not_kept(flags, error.what());
  }
}

}  // namespace

Runner declare_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  declare_fit_flags(app, *flags);
  return [flags] { return fit(*flags); };
}

}  // namespace rivulet::cli
