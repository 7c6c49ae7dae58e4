#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "plan/reports.h"
#include "request/settings.h"
#include "rivulet/inference.h"

namespace rivulet::cli {
namespace {

std::string privacy_statement(const StreamOptions& options, std::uint64_t releases) {
  std::string who = "row";
  std::string change =
      options.neighbours == Neighbours::replace ? "exchanging any one row for another" : "leaving out any one row";
  if (options.unit) {
    who = options.unit->name;
    change = (options.neighbours == Neighbours::replace ? "exchanging" : "leaving out") +
             fmt::format(" all rows of any one {} (of which {} count)", who, options.unit->max_rows);
  }
  const std::string what = releases == 1 ? "the one release is" : fmt::format("all {} releases together are", releases);
  const double epsilon = options.budget.epsilon;
  const std::string factor = epsilon <= 20.0 ? fmt::format("{:.4g}", std::exp(epsilon)) : fmt::format("e^{}", epsilon);
  return fmt::format(
      "Privacy: {} ({}, {})-differentially private for every {}: {} changes the probability of anything published by "
      "a factor of at most {}, but for an event of probability {}.",
      what, epsilon, options.budget.delta, who, change, factor, options.budget.delta);
}

// One per line of the table, the intercept first when there is one.
struct Line {
  std::string name;
  double value = 0.0;
  std::optional<double> scaled;
  std::size_t coordinate = 0;
};

std::vector<Line> lines_of(const Model& model, const Schema& schema, const TableOptions& options) {
  const double target_half_range = schema.has_classes() ? 1.0 : schema.target_scale().half_range;
  const std::size_t first = schema.has_intercept() ? 1 : 0;
  std::vector<Line> lines;
  for (const Coefficient& coefficient : model.coefficients) {
    const double scaled = coefficient.value * schema.value_scale(coefficient.position).half_range / target_half_range;
    lines.push_back({coefficient.name, coefficient.value, scaled, first + coefficient.position});
  }
  if (options.top || options.sketched) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return std::abs(*a.scaled) > std::abs(*b.scaled); });
    lines.resize(shown_coefficients(model, options));
  }
  if (schema.has_intercept()) lines.insert(lines.begin(), {"(intercept)", model.intercept, std::nullopt, 0});
  return lines;
}

// What the table does not show.
std::string rest_text(const Model& model, const TableOptions& options) {
  const std::size_t listed = model.coefficients.size();
  const std::size_t shown = shown_coefficients(model, options);
  if (!options.top && !options.sketched) return "";
  std::string out = fmt::format("\n  The {} largest of {} coefficients", shown, listed);
  if (shown == listed) out = fmt::format("\n  All {} coefficients that are not 0, the largest first", listed);
  if (!options.sketched && shown == listed) out = fmt::format("\n  All {} coefficients, the largest first", listed);
  if (listed < model.width) out += fmt::format(", of {} features; those of the others are 0", model.width);
  if (shown < listed) out += ". --top N of rivulet summary shows more";
  return out + ".\n";
}

constexpr const char* kNoIntervalsOfASketch =
    "  No standard errors and intervals: with a sketch the private statistics are those of projected rows, which\n"
    "  mix all features, so how much a single one varies, and with what others, cannot be told from them.\n";

constexpr const char* kNoIntervalsOfErm =
    "  No standard errors and intervals: PrivIncERM publishes models, and no statistics that would tell them.\n";

constexpr const char* kNoIntervalsOfTheSurrogate =
    "  No standard errors and intervals: those of the private statistics are for least squares, not for log-odds.\n";

std::string why_no_intervals(const TableOptions& options) {
  if (options.sketched) return kNoIntervalsOfASketch;
  if (options.erm) return kNoIntervalsOfErm;
  return options.loss == "squared" ? "" : kNoIntervalsOfTheSurrogate;
}

// What the two columns of numbers say.
std::string legend(const Schema& schema, const TableOptions& options) {
  if (schema.has_classes()) {
    const auto [negative, positive] = request::class_names(schema);
    const bool odds = options.loss == "logistic";
    return fmt::format(
        "\n  per unit: change of the {} for one unit of the feature. scaled: for half of its declared range.\n"
        "  {}: {} where it is above 0, else {}.\n",
        odds ? fmt::format("log-odds of {}", positive) : "score", odds ? "Log-odds" : "Score", positive, negative);
  }
  const std::string what = options.loss.starts_with("quantile:")
                               ? fmt::format("{}-quantile of the target", options.loss.substr(9))
                               : "target";
  return fmt::format(
      "\n  per unit: change of the {} for one unit of the feature. scaled: the same with feature and target\n"
      "  each measured in half of its declared range.\n",
      what);
}

// How a model that is not of least squares was fitted.
std::string fitted_by(const Model& model, const Schema& schema, const TableOptions& options) {
  if (!options.erm) {
    if (options.loss == "squared") return "";
    return fmt::format(
        "  Fitted by the quadratic surrogate of the logistic loss, for log-odds up to {:g}: good for ranking rows, "
        "but\n"
        "  its probabilities are biased; --mechanism erm has better ones.\n",
        options.surrogate_margin);
  }
  if (options.erm->mechanism == ErmMechanism::trivial) {
    return fmt::format("  The trivial mechanism, {} loss: it never looks at a row.\n", options.loss);
  }
  const std::uint64_t tau = *options.erm->tau;
  const std::uint64_t calls = plan::calls_until(*options.erm, model.step);
  std::string out =
      fmt::format("  Fitted by {}, {} loss: {} call{} of the private solver so far, one every {}. Rows kept: {}.\n",
                  options.erm->mechanism == ErmMechanism::naive ? "the naive mechanism" : "PrivIncERM", options.loss,
                  calls, calls == 1 ? "" : "s", tau == 1 ? "step" : fmt::format("{} steps", tau),
                  plan::shown_bytes(plan::kept_bytes(schema, static_cast<double>(model.rows))));
  if (calls == 0) {
    out += fmt::format(
        "  Nothing is learnt before the first call, at step {}: the model is the one that knows no row.\n", tau);
  }
  return out;
}

// The estimate and what belongs to it.
std::string interval_text(const CoefficientInterval& interval) {
  if (!interval.determined) return fmt::format("  {:>14}  {:>11}  {:>29}  {:<3}", "", "", "not determined yet", "");
  return fmt::format("  {:>14.6g}  {:>11.3g}  {:>13.6g} .. {:>12.6g}  {:<3}", interval.estimate,
                     interval.standard_error, interval.lower, interval.upper, Inference::mark(interval));
}

std::string estimates_text(const Inference& inference, const Schema& schema) {
  std::string out = fmt::format(
      "  estimate: the best linear prediction without constraint, which the model need not be. Standard errors and\n"
      "  {:.4g}% intervals are the estimate's and count sampling and privacy noise. *** p < 0.001, ** p < 0.01,\n"
      "  * p < 0.05, . p < 0.1.",
      100.0 * inference.level());
  if (std::isfinite(inference.residual_stddev())) {
    out += fmt::format(" The estimates' residual standard deviation is {:.4g} ({}).", inference.residual_stddev(),
                       schema.target_name());
  }
  out += "\n";
  if (!inference.determined()) {
    out +=
        "  Not determined yet: the privacy noise still drowns it, and the other estimates are those without it; more\n"
        "  rows or a larger epsilon would tell.\n";
  }
  return out;
}

}  // namespace

std::size_t shown_coefficients(const Model& model, const TableOptions& options) {
  constexpr std::size_t kSketched = 20;
  const std::size_t all = model.coefficients.size();
  return std::min(all, options.top.value_or(options.sketched ? kSketched : all));
}

std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema,
                        const ModelQuality& quality, const TableOptions& options) {
  std::optional<Inference> inference;
  if (statistics.has_target_square && options.may_have_intervals())
    inference.emplace(schema, statistics, options.level);
  const std::vector<Line> lines = lines_of(model, schema, options);
  std::size_t width = std::string("(intercept)").size();
  for (const Line& line : lines) width = std::max(width, line.name.size());

  std::string target = schema.target_name();
  if (schema.has_classes()) {
    const auto [negative, positive] = request::class_names(schema);
    target += fmt::format(" ({} against {})", positive, negative);
  }
  std::string out = fmt::format("Model of {} after {} rows (release {})\n\n", target, model.rows, model.step);
  out += fmt::format("  {:<{}}  {:>14}", "", width, "per unit");
  if (inference) {
    out += fmt::format("  {:>14}  {:>11}  {:>29}     ", "estimate", "std. error",
                       fmt::format("{:.4g}% interval", 100.0 * options.level));
  }
  out += fmt::format("  {:>9}\n", "scaled");
  for (const Line& line : lines) {
    std::string text = fmt::format("  {:<{}}  {:>14.6g}", line.name, width, line.value);
    if (inference) text += interval_text(inference->coefficients()[line.coordinate]);
    if (line.scaled) text += fmt::format("  {:>9.4f}", *line.scaled);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  out += rest_text(model, options);
  out += legend(schema, options) + fitted_by(model, schema, options);
  out += "  " + quality.text() + "\n";
  return out + (inference ? estimates_text(*inference, schema) : why_no_intervals(options));
}

TableOptions table_options(const StreamOptions& options, double level) {
  return {.level = level,
          .sketched = options.sketch.has_value(),
          .loss = options.loss,
          .erm = options.erm,
          .surrogate_margin = options.surrogate_margin.value_or(0.0)};
}

std::optional<erm::ErmCall> last_call(const erm::ErmPlan& plan, const Model& model) {
  const std::uint64_t step = plan::calls_until(plan.options(), model.step) * plan.options().tau.value_or(1);
  if (step == 0) return std::nullopt;
  // How many rows it went over is known where all steps were full; only the noise of a minimiser depends on it.
  const bool full = model.rows == model.step * plan.options().release_every;
  if (!full && plan.options().method == ErmMethod::output_perturbation) return std::nullopt;
  return plan.call_at(step, step * plan.options().release_every);
}

std::string promise_or_warning(const StreamOptions& options, std::uint64_t releases) {
  if (!options.insecure_seed) return privacy_statement(options, releases);
  return fmt::format("NOT PRIVATE: the noise came from --insecure-seed {} and anyone can remove it. For tests only.",
                     *options.insecure_seed);
}

}  // namespace rivulet::cli
