// `rivulet predict`: a published model applied to rows of its own.
#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/log_flags.h"
#include "cli/progress.h"
#include "cli/stop_flag.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "rivulet/release_log.h"
#include "stream/byte_source.h"
#include "stream/row_format.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Apply a published model to the rows of a CSV or libsvm file.\n"
    "\n"
    "Writes CSV with a header: prediction, lower, upper, one line for each row in order. The interval is\n"
    "for the row's own target: it counts the scatter of the target, the sampling noise and the privacy\n"
    "noise. A row that cannot be read, or lacks a value, gets empty fields; an interval that is not\n"
    "determined yet is empty, and so is that of a sketched model. The target column is not needed; the\n"
    "label of a libsvm row must be there and may be anything. Costs no privacy budget.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet predict survey.rivulet new.csv > predictions.csv\n"
    "    rivulet predict survey.rivulet new.csv --at 100 --level 0.8\n"
    "    paste -d, new.csv <(rivulet predict survey.rivulet new.csv)";

struct PredictFlags : LogFlags {
  std::string input = "-";
  std::optional<std::string> format;
  std::string delimiter = ",";
  bool quiet = false;
};

struct ReaderGone {};

void append(std::string& out, double value) {
  if (!std::isfinite(value)) return;
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// The row's values one by one, zeros included.
std::vector<double> dense_values(const stream::Row& row, std::size_t width) {
  if (!row.sparse) return row.values;
  std::vector<double> values(width, 0.0);
  for (std::size_t i = 0; i < row.values.size(); ++i) values[row.positions[i]] = row.values[i];
  return values;
}

void append_line(std::string& out, const stream::Row& row, const Model& model,
                 const std::optional<Inference>& inference) {
  if (row.usable) {
    append(out, row.sparse ? model.predict(row.sparse_view()) : model.predict(row.values));
    out += ',';
    if (inference) {
      const PredictionInterval interval = inference->predict(dense_values(row, model.width));
      append(out, interval.lower);
      out += ',';
      append(out, interval.upper);
    } else {
      out += ',';
    }
  } else {
    out += ",,";
  }
  out += '\n';
}

stream::RowSettings row_settings(const PredictFlags& flags) {
  return {.format = flags.format ? stream::parse_row_format(*flags.format) : stream::format_by_name(flags.input),
          .delimiter = stream::parse_delimiter(flags.delimiter),
          .needs_target = false};
}

int predict(const PredictFlags& flags) {
  const double level = chosen_level(flags);
  const ReleaseLog log(flags.model);
  const Release release = log.at(chosen_step(flags, log));
  const Schema& schema = log.options().schema;
  std::optional<Inference> inference;
  if (release.statistics.has_target_square && !log.options().sketch) {
    inference.emplace(schema, release.statistics, level);
  }
  const stream::RowSettings settings = row_settings(flags);
  stream::FileSource source(flags.input, &stop_flag());
  const std::unique_ptr<stream::RowSource> rows = stream::open_rows(source, schema, settings);
  Progress progress(flags.quiet);
  constexpr std::size_t kMostBuffered = 1 << 16;
  std::string buffer = "prediction,lower,upper\n";
  const auto hand_on = [&] {
    if (!print(buffer)) throw ReaderGone();
    buffer.clear();
  };
  source.before_waiting(hand_on);  // a pipe's reader sees each prediction when its row has come
  try {
    stream::Row row;
    while (rows->next(row)) {
      append_line(buffer, row, release.model, inference);
      if (progress.due() && source.total_bytes()) progress.share(source.position(), *source.total_bytes());
      progress.row(rows->tally().rows, release.model.step);
      if (buffer.size() >= kMostBuffered) hand_on();
    }
  } catch (const ReaderGone&) {
    return kDone;
  } catch (const IoError&) {
    print(buffer);  // what was made of the good part of an input that breaks halfway
    throw;
  }
  progress.finish();
  print(buffer);
  if (rows->tally().unusable() != 0) {
    tell(fmt::format("rivulet: {} of {} rows could not be read and have no prediction\n", rows->tally().unusable(),
                     rows->tally().rows));
  }
  return source.stopped() || stop_flag().load() ? kInterrupted : kDone;
}

}  // namespace

Runner declare_predict(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  app.add_option("FILE", flags->input,
                 "CSV file with the model's features, or libsvm; plain or gzip; '-', the default, for standard input")
      ->type_name("");
  app.add_option("--format", flags->format,
                 "'csv' or 'libsvm'; libsvm for files called .svm, .libsvm or .svmlight, with or without .gz, else csv")
      ->type_name("WORD");
  declare_at(app, *flags);
  declare_level(app, *flags);
  app.add_option("--delimiter", flags->delimiter, "Field separator; ',' unless given, 'tab' for tabs")
      ->type_name("CHAR");
  app.add_flag("--quiet,-q", flags->quiet, "No progress on standard error")->disable_flag_override();
  return [flags] { return predict(*flags); };
}

}  // namespace rivulet::cli
