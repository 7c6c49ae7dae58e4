// `rivulet fit`: a CSV stream goes in, a private model comes out after every release step.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/fit_flags.h"
#include "cli/progress.h"
#include "cli/release_writer.h"
#include "cli/report.h"
#include "cli/stop_flag.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "stream/byte_source.h"
#include "stream/config.h"
#include "stream/row_source.h"

namespace rivulet::cli {
namespace {

PrivIncReg1::Options options_from(const stream::FitConfig& config, const std::optional<std::uint64_t>& insecure_seed) {
  if (!config.epsilon || !config.delta) {
    throw RequestError(config.epsilon ? "delta" : "epsilon",
                       config.epsilon
                           ? "not given; choose the probability with which the promise may fail, far below one over "
                             "the number of people, e.g. --delta 1e-6"
                           : "not given; a privacy budget has no default, choose one, e.g. --epsilon 1");
  }
  if (config.profile == Profile::paper && !(config.horizon && config.horizon->is_known())) {
    throw RequestError(
        "horizon",
        "profile 'paper' needs to know how many steps there will be; accepted: --horizon N, or profile 'tight'");
  }
  PrivIncReg1::Options options;
  options.budget = {*config.epsilon, *config.delta};
  options.budget.validate();
  options.schema = stream::build_schema(config);
  if (config.neighbours) options.neighbours = *config.neighbours;
  if (config.profile) options.profile = *config.profile;
  if (config.horizon) options.horizon = *config.horizon;
  if (config.release_every) options.release_every = *config.release_every;
  options.strategy = config.strategy;
  if (config.buffers)
    options.buffers =
        static_cast<unsigned>(std::min<std::uint64_t>(*config.buffers, std::numeric_limits<unsigned>::max()));
  options.tree_decoding = config.tree_decoding;
  if (config.constraint) options.constraint = *config.constraint;
  options.insecure_seed = insecure_seed;
  return options;
}

std::string constant_part(const PrivIncReg1::Options& options) {
  std::string part = fmt::format("\"epsilon\":{},\"delta\":{},\"neighbours\":\"{}\"", options.budget.epsilon,
                                 options.budget.delta, to_string(options.neighbours));
  if (options.insecure_seed)
    part += fmt::format(",\"not_private\":\"made with --insecure-seed {}\"", *options.insecure_seed);
  return part;
}

// "-" is the stream given; nothing when the path leads to no regular file, which no writing can destroy.
std::optional<struct stat> regular_file(const std::string& path, int stream) {
  struct stat status {};
  const int result = path == "-" ? fstat(stream, &status) : stat(path.c_str(), &status);
  return result == 0 && S_ISREG(status.st_mode) ? std::optional(status) : std::nullopt;
}

// Opening the releases empties the file, so it must not be one that is still to be read.
void refuse_overwriting(const std::string& releases, const std::string& read, const std::string& what) {
  const auto written = regular_file(releases, STDOUT_FILENO);
  const auto source = regular_file(read, STDIN_FILENO);
  if (written && source && written->st_dev == source->st_dev && written->st_ino == source->st_ino) {
    throw RequestError("releases",
                       "'" + releases + "' is the " + what + " itself; accepted: another file; it was left untouched");
  }
}

enum class Ending { input_ended, interrupted, reader_gone, horizon_exceeded, input_broken };

// The stream itself, from the first row to one of the endings.
class FitRun {
 public:
  FitRun(const stream::FitConfig& config, const FitFlags& flags)
      : regression_(options_from(config, resolve_insecure_seed(flags))),
        source_(config.input.value_or("-"), &stop_flag()),
        rows_(source_, regression_.options().schema, stream::CsvOptions{.delimiter = config.delimiter.value_or(',')}),
        progress_(flags.quiet) {
    if (config.releases) {
      writer_ = std::make_unique<ReleaseWriter>(*config.releases, constant_part(regression_.options()),
                                                !source_.total_bytes());
    }
  }

  Ending run() {
    const Ending ending = follow();
    progress_.finish();
    if (writer_ && ending != Ending::reader_gone && !writer_->flush()) return Ending::reader_gone;
    return ending;
  }

  PrivIncReg1& regression() { return regression_; }
  [[nodiscard]] const stream::OperatorTally& tally() const { return rows_.tally(); }
  // Why the stream ended before its input did: horizon_exceeded and input_broken.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  Ending follow() {
    stream::Row row;
    while (read(row)) {
      bool released = false;
      try {
        released = regression_.observe(row.values, row.target);
      } catch (const HorizonExceeded& error) {
        reason_ = error.what();
        return Ending::horizon_exceeded;
      }
      if (released && !publish()) return Ending::reader_gone;
      if (progress_.due() && source_.total_bytes()) {
        progress_.share(source_.position(), *source_.total_bytes());
      }
      progress_.row(rows_.tally().rows, regression_.step());
      if (stop_flag().load(std::memory_order_relaxed)) return Ending::interrupted;
    }
    if (!reason_.empty()) return Ending::input_broken;
    if (source_.stopped() || stop_flag().load()) return Ending::interrupted;
    // The rows since the last full step make a last, shorter one.
    if (regression_.flush() && !publish()) return Ending::reader_gone;
    return Ending::input_ended;
  }

  // An input that fails halfway ends the stream; the releases made of its good part are still delivered.
  bool read(stream::Row& row) {
    try {
      return rows_.next(row);
    } catch (const IoError& error) {
      reason_ = error.what();
      return false;
    }
  }

  bool publish() { return !writer_ || writer_->write(regression_.model()); }

  PrivIncReg1 regression_;
  stream::FileSource source_;
  stream::CsvRowSource rows_;
  Progress progress_;
  std::unique_ptr<ReleaseWriter> writer_;
  std::string reason_;
};

std::string operator_note(const stream::OperatorTally& tally) {
  std::string reasons;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, what);
  };
  add(tally.missing, "with a missing value");
  add(tally.not_a_number, "with something that is not a number");
  add(tally.unknown_level, "with an undeclared category");
  add(tally.ragged, "with too few or too many fields");
  add(tally.malformed, "not readable as CSV");
  return fmt::format("operator only, do not publish: {} of {} rows could not be used and counted as zero rows ({})\n",
                     tally.unusable(), tally.rows, reasons);
}

std::string releases_out(std::uint64_t releases) {
  return releases == 1 ? "1 release is out" : fmt::format("{} releases are out", releases);
}

std::string final_report(PrivIncReg1& regression) {
  const PrivIncReg1::Options& options = regression.options();
  const std::string promise =
      options.insecure_seed ? insecure_warning(*options.insecure_seed) : privacy_statement(options, regression.step());
  return coefficient_table(regression.model(), options.schema) + "\n" + promise + "\n";
}

int finish(FitRun& run, Ending ending, bool releases_on_stdout) {
  PrivIncReg1& regression = run.regression();
  if (run.tally().unusable() != 0) tell(operator_note(run.tally()));
  if (ending == Ending::reader_gone) {
    tell(fmt::format("rivulet: the reader of the releases has gone; stopped at release {}\n", regression.step()));
    return kDone;
  }
  if (regression.step() == 0) {
    tell("rivulet: no step was completed, so nothing was published\n");
  } else if (releases_on_stdout) {
    tell(final_report(regression));  // standard output belongs to the releases
  } else {
    print(final_report(regression));
  }
  switch (ending) {
    case Ending::interrupted:
      tell(fmt::format("rivulet: interrupted; {}, rows after the last one were not published\n",
                       releases_out(regression.step())));
      return kInterrupted;
    case Ending::horizon_exceeded:
      tell(fmt::format("rivulet: {}\n", run.reason()));
      return kHorizonExceeded;
    case Ending::input_broken:
      tell(fmt::format("rivulet: {}; {}, rows after the last one were not published\n", run.reason(),
                       releases_out(regression.step())));
      return kFailed;
    default:
      return kDone;
  }
}

int fit(const FitFlags& flags) {
  const stream::FitConfig config = resolve(flags);
  if (config.releases) {
    refuse_overwriting(*config.releases, config.input.value_or("-"), "input");
    if (flags.config) refuse_overwriting(*config.releases, *flags.config, "configuration");
  }
  std::optional<FitRun> run;
  try {
    run.emplace(config, flags);
  } catch (const IoError&) {
    if (!stop_flag()) throw;
    tell("rivulet: interrupted before the first row; nothing was published\n");
    return kInterrupted;
  }
  const Ending ending = run->run();
  return finish(*run, ending, config.releases == "-");
}

}  // namespace

Runner declare_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  declare_fit_flags(app, *flags);
  return [flags] { return fit(*flags); };
}

}  // namespace rivulet::cli
