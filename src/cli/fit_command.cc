// `rivulet fit`: a CSV stream goes in, a private model comes out after every release step.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
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
                       config.epsilon ? "not given; choose the probability with which the promise may fail, far below one over "
                                        "the number of people, e.g. --delta 1e-6"
                                      : "not given; a privacy budget has no default, choose one, e.g. --epsilon 1");
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
  if (config.buffers) options.buffers = static_cast<unsigned>(std::min<std::uint64_t>(*config.buffers, 1000));
  options.tree_decoding = config.tree_decoding;
  if (config.constraint) options.constraint = *config.constraint;
  options.insecure_seed = insecure_seed;
  return options;
}

std::string constant_part(const PrivIncReg1::Options& options) {
  std::string part = fmt::format("\"epsilon\":{:g},\"delta\":{:g},\"neighbours\":\"{}\"", options.budget.epsilon, options.budget.delta,
                                 to_string(options.neighbours));
  if (options.insecure_seed) part += fmt::format(",\"not_private\":\"made with --insecure-seed {}\"", *options.insecure_seed);
  return part;
}

enum class Ending { input_ended, interrupted, reader_gone, horizon_exceeded };

// The stream itself, from the first row to one of the endings.
class FitRun {
 public:
  FitRun(const stream::FitConfig& config, const FitFlags& flags)
      : regression_(options_from(config, flags.insecure_seed)),
        source_(config.input.value_or("-"), &stop_flag()),
        rows_(source_, regression_.options().schema, stream::CsvOptions{.delimiter = config.delimiter.value_or(',')}),
        progress_(flags.quiet) {
    if (config.releases) {
      writer_ = std::make_unique<ReleaseWriter>(*config.releases, constant_part(regression_.options()), !source_.total_bytes());
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
  [[nodiscard]] const std::string& horizon_message() const { return horizon_message_; }

 private:
  Ending follow() {
    stream::Row row;
    while (rows_.next(row)) {
      bool released = false;
      try {
        released = regression_.observe(row.values, row.target);
      } catch (const HorizonExceeded& error) {
        horizon_message_ = error.what();
        return Ending::horizon_exceeded;
      }
      if (released && !publish()) return Ending::reader_gone;
      if (progress_.due() && source_.total_bytes()) {
        progress_.share(static_cast<double>(source_.position()) / static_cast<double>(*source_.total_bytes()));
      }
      progress_.row(rows_.tally().rows, regression_.step());
      if (stop_flag().load(std::memory_order_relaxed)) return Ending::interrupted;
    }
    if (source_.stopped() || stop_flag().load()) return Ending::interrupted;
    // The rows since the last full step make a last, shorter one.
    if (regression_.flush() && !publish()) return Ending::reader_gone;
    return Ending::input_ended;
  }

  bool publish() { return !writer_ || writer_->write(regression_.model()); }

  PrivIncReg1 regression_;
  stream::FileSource source_;
  stream::CsvRowSource rows_;
  Progress progress_;
  std::unique_ptr<ReleaseWriter> writer_;
  std::string horizon_message_;
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

int finish(FitRun& run, Ending ending, bool releases_on_stdout) {
  PrivIncReg1& regression = run.regression();
  if (run.tally().unusable() != 0) fmt::print(stderr, "{}", operator_note(run.tally()));
  const PrivIncReg1::Options& options = regression.options();
  if (ending == Ending::reader_gone) {
    fmt::print(stderr, "rivulet: the reader of the releases has gone; stopped after {} releases\n", regression.step());
  } else if (regression.step() == 0) {
    fmt::print(stderr, "rivulet: no row came, so nothing was published\n");
  } else {
    std::string report = coefficient_table(regression.model(), options.schema);
    report += "\n" + privacy_statement(options, regression.step()) + "\n";
    if (options.insecure_seed) report += insecure_warning(*options.insecure_seed) + "\n";
    // Standard output belongs to the releases when they go there.
    std::FILE* out = releases_on_stdout ? stderr : stdout;
    std::fwrite(report.data(), 1, report.size(), out);
    std::fflush(out);
  }
  switch (ending) {
    case Ending::interrupted:
      fmt::print(stderr, "rivulet: interrupted; {} releases are out, rows after the last one were not published\n", regression.step());
      return kInterrupted;
    case Ending::horizon_exceeded:
      fmt::print(stderr, "rivulet: {}\n", run.horizon_message());
      return kHorizonExceeded;
    default:
      return kDone;
  }
}

}  // namespace

Runner declare_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  declare_fit_flags(app, *flags);
  return [flags] {
    const stream::FitConfig config = resolve(*flags);
    FitRun run(config, *flags);
    const Ending ending = run.run();
    return finish(run, ending, config.releases == "-");
  };
}

}  // namespace rivulet::cli
