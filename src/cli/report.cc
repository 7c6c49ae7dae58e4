#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rivulet/inference.h"

namespace rivulet::cli {
namespace {

std::string privacy_statement(const PrivIncReg1::Options& options, std::uint64_t releases) {
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
};

std::vector<Line> lines_of(const Model& model, const Schema& schema) {
  std::vector<Line> lines;
  if (schema.has_intercept()) lines.push_back({"(intercept)", model.intercept, std::nullopt});
  const auto scales = schema.value_scales();
  const double target_half_range = schema.target_scale().half_range;
  for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
    const Coefficient& coefficient = model.coefficients[i];
    lines.push_back(
        {coefficient.name, coefficient.value, coefficient.value * scales[i].half_range / target_half_range});
  }
  return lines;
}

std::string interval_text(const CoefficientInterval& interval) {
  if (!interval.determined) return fmt::format("  {:>11}  {:>29}  {:<3}", "", "not determined yet", "");
  return fmt::format("  {:>11.3g}  {:>13.6g} .. {:>12.6g}  {:<3}", interval.standard_error, interval.lower,
                     interval.upper, Inference::mark(interval));
}

std::string fit_quality(const Inference& inference, const Schema& schema) {
  std::string out;
  const bool any = std::isfinite(inference.residual_stddev());
  if (any) {
    out += fmt::format("  Residual standard deviation {:.4g} ({}). R² {:.4f}", inference.residual_stddev(),
                       schema.target_name(), inference.r_squared());
    if (std::isfinite(inference.r_squared_stddev())) {
      out += fmt::format(", privacy noise ±{:.2g}", inference.r_squared_stddev());
    }
    out += ".\n";
  }
  out += fmt::format(
      "  Standard errors and {:.4g}% intervals count sampling and privacy noise; they are for the best linear\n"
      "  prediction without constraint. *** p < 0.001, ** p < 0.01, * p < 0.05, . p < 0.1.\n",
      100.0 * inference.level());
  if (!inference.determined()) {
    out +=
        "  Not determined yet: the privacy noise still drowns it, and the other estimates are those without it; more\n"
        "  rows or a larger epsilon would tell.\n";
  }
  return out;
}

}  // namespace

std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema, double level) {
  std::optional<Inference> inference;
  if (statistics.has_target_square) inference.emplace(schema, statistics, level);
  const std::vector<Line> lines = lines_of(model, schema);
  std::size_t width = std::string("(intercept)").size();
  for (const Line& line : lines) width = std::max(width, line.name.size());

  std::string out =
      fmt::format("Model of {} after {} rows (release {})\n\n", schema.target_name(), model.rows, model.step);
  out += fmt::format("  {:<{}}  {:>14}", "", width, "per unit");
  if (inference)
    out += fmt::format("  {:>11}  {:>29}     ", "std. error", fmt::format("{:.4g}% interval", 100.0 * level));
  out += fmt::format("  {:>9}\n", "scaled");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = fmt::format("  {:<{}}  {:>14.6g}", lines[i].name, width, lines[i].value);
    if (inference) text += interval_text(inference->coefficients()[i]);
    if (lines[i].scaled) text += fmt::format("  {:>9.4f}", *lines[i].scaled);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  out +=
      "\n  per unit: change of the target for one unit of the feature. scaled: the same with feature and target\n"
      "  each measured in half of its declared range.\n";
  if (inference) out += fit_quality(*inference, schema);
  return out;
}

std::string promise_or_warning(const PrivIncReg1::Options& options, std::uint64_t releases) {
  if (!options.insecure_seed) return privacy_statement(options, releases);
  return fmt::format("NOT PRIVATE: the noise came from --insecure-seed {} and anyone can remove it. For tests only.",
                     *options.insecure_seed);
}

std::string operator_note(const OperatorCounts& counts) {
  std::string reasons;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, what);
  };
  add(counts.tally.missing, "with a missing value");
  add(counts.tally.not_a_number, "with something that is not a number");
  add(counts.tally.unknown_level, "with an undeclared category");
  add(counts.tally.missing_unit, "without a unit");
  add(counts.tally.ragged, "with too few or too many fields");
  add(counts.tally.malformed, "not readable as CSV");
  add(counts.outside_domain, "outside the conditions");
  add(counts.over_limit, "past their unit's limit");
  return fmt::format("operator only, do not publish: {} of {} rows could not be used and counted as zero rows ({})\n",
                     counts.unusable(), counts.tally.rows, reasons);
}

}  // namespace rivulet::cli
