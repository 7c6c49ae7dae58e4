#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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
  const double target_half_range = schema.target_scale().half_range;
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

constexpr const char* kNoIntervals =
    "  No standard errors and intervals: with a sketch the private statistics are those of projected rows, which\n"
    "  mix all features, so how much a single one varies, and with what others, cannot be told from them.\n";

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

std::size_t shown_coefficients(const Model& model, const TableOptions& options) {
  constexpr std::size_t kSketched = 20;
  const std::size_t all = model.coefficients.size();
  return std::min(all, options.top.value_or(options.sketched ? kSketched : all));
}

std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema,
                        const TableOptions& options) {
  std::optional<Inference> inference;
  if (statistics.has_target_square && !options.sketched) inference.emplace(schema, statistics, options.level);
  const std::vector<Line> lines = lines_of(model, schema, options);
  std::size_t width = std::string("(intercept)").size();
  for (const Line& line : lines) width = std::max(width, line.name.size());

  std::string out =
      fmt::format("Model of {} after {} rows (release {})\n\n", schema.target_name(), model.rows, model.step);
  out += fmt::format("  {:<{}}  {:>14}", "", width, "per unit");
  if (inference)
    out += fmt::format("  {:>11}  {:>29}     ", "std. error", fmt::format("{:.4g}% interval", 100.0 * options.level));
  out += fmt::format("  {:>9}\n", "scaled");
  for (const Line& line : lines) {
    std::string text = fmt::format("  {:<{}}  {:>14.6g}", line.name, width, line.value);
    if (inference) text += interval_text(inference->coefficients()[line.coordinate]);
    if (line.scaled) text += fmt::format("  {:>9.4f}", *line.scaled);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  out += rest_text(model, options);
  out +=
      "\n  per unit: change of the target for one unit of the feature. scaled: the same with feature and target\n"
      "  each measured in half of its declared range.\n";
  if (inference) out += fit_quality(*inference, schema);
  if (options.sketched) out += kNoIntervals;
  return out;
}

std::string promise_or_warning(const StreamOptions& options, std::uint64_t releases) {
  if (!options.insecure_seed) return privacy_statement(options, releases);
  return fmt::format("NOT PRIVATE: the noise came from --insecure-seed {} and anyone can remove it. For tests only.",
                     *options.insecure_seed);
}

}  // namespace rivulet::cli
