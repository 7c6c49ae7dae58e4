// `rivulet predict`: a published model applied to rows of its own.
#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/evaluation.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/setting_flags.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "request/settings.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Apply a published model to the rows of a file.\n"
    "\n"
    "Writes CSV with a header: prediction, lower, upper, one line for each row in order. The interval is\n"
    "for the row's own target: it counts the scatter of the target, the sampling noise and the privacy\n"
    "noise. A row that cannot be read, or lacks a value, gets empty fields; an interval that is not\n"
    "determined yet is empty, and so is that of a sketched model or of --mechanism erm. With classes the\n"
    "columns are probability (of the positive class), score (its log-odds) and class with the logistic\n"
    "loss, score and class with others; the class is the positive one where the score is above 0. The\n"
    "target column is not needed; the label of a libsvm row must be there and may be anything. Costs no\n"
    "privacy budget.\n"
    "\n"
    "With --score the file has the target, and what is written is how well the model does on its rows.\n"
    "Those figures are exact and NOT private: they are about your own rows and are for your own eyes.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet predict survey.rivulet new.csv > predictions.csv\n"
    "    rivulet predict survey.rivulet new.csv --at 100 --level 0.8\n"
    "    paste -d, new.csv <(rivulet predict survey.rivulet new.csv)\n"
    "    rivulet predict survey.rivulet known.csv --score\n"
    "\n"
    "JSON KEYS (--score --json)\n"
    "  rows, unusable_rows   used and not used\n"
    "  r_squared, rmse, mae  of numbers; pinball_loss and coverage (targets at or below the prediction)\n"
    "                        too of a quantile\n"
    "  accuracy, auc, positive_share, majority_share   of classes; log_loss too of the logistic loss.\n"
    "                        What is not defined for the rows is null";

struct PredictFlags : LogFlags {
  std::string input = "-";
  std::optional<std::string> format;
  std::string delimiter = ",";
  bool quiet = false;
  bool score = false;
  bool json = false;
};

struct ReaderGone {};

void append(std::string& out, double value) {
  if (!std::isfinite(value)) return;
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// The row's values one by one, zeros included.
std::vector<double> dense_values(const input::Row& row, std::size_t width) {
  if (!row.sparse) return row.values;
  std::vector<double> values(width, 0.0);
  for (std::size_t i = 0; i < row.values.size(); ++i) values[row.positions[i]] = row.values[i];
  return values;
}

double predicted(const input::Row& row, const Model& model) {
  return row.sparse ? model.predict(row.sparse_view()) : model.predict(row.values);
}

// As a field of CSV.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

// The columns of a model's predictions and a row's values in them.
class PredictionLines {
 public:
  PredictionLines(const Release& release, const StreamOptions& options, double level) : model_(release.model) {
    if (options.schema.has_classes()) {
      classes_ = request::class_names(options.schema);
      for (std::string& name : *classes_) name = csv_field(name);
      odds_ = options.loss == "logistic";
    } else if (release.statistics.has_target_square && table_options(options).may_have_intervals()) {
      inference_.emplace(options.schema, release.statistics, level);
    }
  }

  [[nodiscard]] const char* header() const {
    return !classes_ ? "prediction,lower,upper\n" : odds_ ? "probability,score,class\n" : "score,class\n";
  }

  void append(std::string& out, const input::Row& row) const {
    if (!row.usable) {
      out += classes_ && !odds_ ? "," : ",,";
    } else if (classes_) {
      append_class(out, predicted(row, model_));
    } else {
      append_number(out, row);
    }
    out += '\n';
  }

 private:
  void append_class(std::string& out, double score) const {
    if (odds_) {
      cli::append(out, 1.0 / (1.0 + std::exp(-score)));
      out += ',';
    }
    cli::append(out, score);
    out += ',' + (*classes_)[score > 0.0 ? 1 : 0];
  }

  void append_number(std::string& out, const input::Row& row) const {
    cli::append(out, predicted(row, model_));
    out += ',';
    if (!inference_) {
      out += ',';
      return;
    }
    const PredictionInterval interval = inference_->predict(dense_values(row, model_.width));
    cli::append(out, interval.lower);
    out += ',';
    cli::append(out, interval.upper);
  }

  const Model& model_;
  std::optional<request::ClassNames> classes_;
  bool odds_ = false;  // scores are log-odds
  std::optional<Inference> inference_;
};

input::RowSettings row_settings(const PredictFlags& flags) {
  return {.format = flags.format ? input::parse_row_format(*flags.format) : input::format_by_name(flags.input),
          .delimiter = request::Given{flags.delimiter, "delimiter"}.delimiter(),
          .needs_target = flags.score};
}

int predict(const PredictFlags& flags) {
  const double level = chosen_level(flags);
  const ReleaseLog log(flags.model);
  const Release release = log.at(chosen_step(flags, log));
  const input::RowSettings settings = row_settings(flags);
  input::FileSource source(flags.input, &stop_flag());
  const std::unique_ptr<input::RowSource> rows = input::open_rows(source, log.options().schema, settings);
  const PredictionLines lines(release, log.options(), level);
  Progress progress(flags.quiet);
  constexpr std::size_t kMostBuffered = 1 << 16;
  std::string buffer = lines.header();
  const auto hand_on = [&] {
    if (!print(buffer)) throw ReaderGone();
    buffer.clear();
  };
  source.before_waiting(hand_on);  // a pipe's reader sees each prediction when its row has come
  try {
    input::Row row;
    while (rows->next(row)) {
      lines.append(buffer, row);
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

std::string score_json(Evaluation& evaluation, const Release& release, const StreamOptions& options,
                       std::uint64_t unusable) {
  nlohmann::ordered_json json;
  json["not_private"] = "exact figures of the rows given";
  json["step"] = release.model.step;
  json["target"] = options.schema.target_name();
  json["loss"] = options.loss;
  if (options.schema.has_classes()) json["classes"] = request::class_names(options.schema);
  json["rows"] = evaluation.rows();
  json["unusable_rows"] = unusable;
  for (const Evaluation::Figure& figure : evaluation.figures()) {
    json[figure.key] = std::isfinite(figure.value) ? nlohmann::ordered_json(figure.value) : nlohmann::ordered_json();
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string score_text(Evaluation& evaluation, const Release& release, const StreamOptions& options,
                       std::uint64_t unusable) {
  std::string out = fmt::format("NOT PRIVATE: release {} of the model of {}, {} loss, on rows of your own\n\n",
                                release.model.step, options.schema.target_name(), options.loss);
  const auto line = [&](const std::string& name, const std::string& value) {
    out += fmt::format("  {:<26}{:>14}\n", name, value);
  };
  line("rows used", fmt::format("{}", evaluation.rows()));
  line("rows that cannot be used", fmt::format("{}", unusable));
  for (const Evaluation::Figure& figure : evaluation.figures()) {
    line(figure.name, !std::isfinite(figure.value) ? "not defined"
                      : figure.is_share            ? fmt::format("{:.2f} %", 100.0 * figure.value)
                                                   : fmt::format("{:.6g}", figure.value));
  }
  return out;
}

int score(const PredictFlags& flags) {
  const ReleaseLog log(flags.model);
  const Release release = log.at(chosen_step(flags, log));
  const input::RowSettings settings = row_settings(flags);
  input::FileSource source(flags.input, &stop_flag());
  const std::unique_ptr<input::RowSource> rows = input::open_rows(source, log.options().schema, settings);
  const std::unique_ptr<Evaluation> evaluation = make_evaluation(log.options());
  Progress progress(flags.quiet);
  input::Row row;
  std::uint64_t beyond = 0;  // rows whose prediction is no finite number
  while (rows->next(row)) {
    if (row.usable) {
      const double prediction = predicted(row, release.model);
      if (std::isfinite(prediction)) {
        evaluation->add(prediction, row.target);
      } else {
        ++beyond;
      }
    }
    if (progress.due() && source.total_bytes()) progress.share(source.position(), *source.total_bytes());
    progress.row(rows->tally().rows, release.model.step);
  }
  progress.finish();
  const bool stopped = source.stopped() || stop_flag().load();
  tell(fmt::format(
      "rivulet: NOT PRIVATE: these figures are exact and tell of the rows of {}: keep them with the rows{}\n",
      source.name(), stopped ? "; interrupted, they are those of the rows before that" : ""));
  const std::uint64_t unusable = rows->tally().unusable() + beyond;
  print(flags.json ? score_json(*evaluation, release, log.options(), unusable)
                   : score_text(*evaluation, release, log.options(), unusable));
  return stopped ? kInterrupted : kDone;
}

}  // namespace

Runner declare_predict(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  app.add_option(
         "FILE", flags->input,
         "Rows with the model's features, in one of the formats of --format, plain or gzip; '-', the default, for "
         "standard input")
      ->type_name("");
  app.add_option("--format", flags->format, input::format_help())->type_name("WORD");
  declare_at(app, *flags);
  declare_level(app, *flags);
  app.add_option("--delimiter", flags->delimiter, "Field separator; ',' unless given, 'tab' for tabs")
      ->type_name("CHAR");
  app.add_flag("--quiet,-q", flags->quiet, "No progress on standard error")->disable_flag_override();
  app.add_flag("--score", flags->score,
               "Instead of predictions: how well the model does on the rows of a file that has the target. Exact, NOT "
               "private")
      ->disable_flag_override();
  app.add_flag("--json", flags->json, "With --score: machine-readable output")->disable_flag_override();
  return [flags] {
    if (flags->json && !flags->score) throw RequestError("json", "is for figures; accepted: together with --score");
    return flags->score ? score(*flags) : predict(*flags);
  };
}

}  // namespace rivulet::cli
