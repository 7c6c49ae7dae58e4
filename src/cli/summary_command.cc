// `rivulet summary`: the coefficients of a published model and how sure they are.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/report.h"
#include "cli/setting_flags.h"
#include "plan/reports.h"
#include "request/settings.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Print a published model: coefficients, standard errors, intervals.\n"
    "\n"
    "Reads the public half of a model file, or an export of it. Standard errors and intervals are those of\n"
    "the unconstrained estimate in the column beside the model's coefficient, and contain the sampling\n"
    "noise of the rows and the privacy noise together; R² is that of the model itself. A sketched model\n"
    "has neither, and its largest coefficients are shown; nor has a model of another loss than squares.\n"
    "Costs no privacy budget, at any past release.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet summary survey.rivulet\n"
    "    rivulet summary survey.rivulet --at 100 --level 0.9\n"
    "    rivulet summary survey.rivulet --json | jq '.coefficients[] | {name, estimate, lower, upper}'";

struct SummaryFlags : LogFlags {
  std::optional<std::string> top;
  bool json = false;
};

// JSON has no infinity: what is not determined is null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json coefficient_json(const std::string& name, double published,
                                        const CoefficientInterval* interval) {
  nlohmann::ordered_json entry{{"name", name}, {"published", number(published)}};
  if (interval != nullptr) {
    entry["determined"] = interval->determined;
    entry["estimate"] = number(interval->estimate);
    entry["standard_error"] = number(interval->standard_error);
    entry["lower"] = number(interval->lower);
    entry["upper"] = number(interval->upper);
    entry["p_value"] = number(interval->p_value);
    entry["naive_standard_error"] = number(interval->naive_standard_error);
  }
  return entry;
}

// What the model is worth, as model_quality.h has it.
void add_quality(nlohmann::ordered_json& json, const ModelQuality& quality) {
  if (!quality.not_known_because.empty()) {
    json["r_squared_not_known_because"] = quality.not_known_because;
    return;
  }
  const auto r = [&](double ModelQuality::RSquared::*part) {
    return quality.r_squared ? nlohmann::ordered_json((*quality.r_squared).*part) : nlohmann::ordered_json();
  };
  json["r_squared"] = r(&ModelQuality::RSquared::value);
  json["r_squared_stddev"] = r(&ModelQuality::RSquared::stddev);
  json["r_squared_lower"] = r(&ModelQuality::RSquared::lower);
  json["r_squared_upper"] = r(&ModelQuality::RSquared::upper);
  json["baseline"] = quality.against_mean ? "mean" : "zero";
  json["better_than_baseline"] = quality.verdict == Verdict::cannot_be_told
                                     ? nlohmann::ordered_json()
                                     : nlohmann::ordered_json(quality.verdict == Verdict::better);
}

std::string as_json(const Release& release, const StreamOptions& options, double level) {
  const Model& model = release.model;
  nlohmann::ordered_json json;
  json["step"] = model.step;
  json["rows"] = model.rows;
  json["target"] = options.schema.target_name();
  if (options.schema.has_classes()) json["classes"] = request::class_names(options.schema);
  json["loss"] = options.loss;
  json["mechanism"] = request::to_string(*options.mechanism);
  if (options.erm) {
    json["tau"] = *options.erm->tau;
    json["calls"] = plan::calls_until(*options.erm, model.step);
  }
  std::optional<Inference> inference;
  if (release.statistics.has_target_square && table_options(options).may_have_intervals()) {
    inference.emplace(options.schema, release.statistics, level);
  }
  const auto interval = [&](std::size_t coordinate) {
    return inference ? &inference->coefficients()[coordinate] : nullptr;
  };
  auto& coefficients = json["coefficients"] = nlohmann::ordered_json::array();
  const std::size_t first = options.schema.has_intercept() ? 1 : 0;
  if (first == 1) coefficients.push_back(coefficient_json("(intercept)", model.intercept, interval(0)));
  for (const Coefficient& coefficient : model.coefficients) {
    coefficients.push_back(
        coefficient_json(coefficient.name, coefficient.value, interval(first + coefficient.position)));
  }
  if (options.sketch) {
    json["features"] = model.width;
    json["unlisted_coefficients"] = 0;
    json["sketch"] = *options.sketch->dimension;
  }
  if (inference) {
    json["level"] = level;
    json["residual_stddev"] = number(inference->residual_stddev());
    json["estimate_r_squared"] = number(inference->r_squared());
    json["estimate_r_squared_stddev"] = number(inference->r_squared_stddev());
    json["usable_rows"] = number(inference->usable_rows());
  }
  add_quality(json, model_quality(options, release.statistics, model, level));
  json["epsilon"] = options.budget.epsilon;
  json["delta"] = options.budget.delta;
  json["neighbours"] = to_string(options.neighbours);
  if (options.unit) {
    json["unit"] = options.unit->name;
    json["max_rows_per_unit"] = options.unit->max_rows;
  }
  if (model.not_private) json["not_private"] = true;
  json["chain"] = release.chain;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int summary(const SummaryFlags& flags) {
  const double level = chosen_level(flags);
  std::optional<std::size_t> top;
  if (flags.top) top = request::Given{*flags.top, "top"}.positive_whole();
  if (flags.top && flags.json)
    throw RequestError("top", "is for the table; accepted: without --json, which has them all");
  const ReleaseLog log(flags.model);
  const Release release = log.at(chosen_step(flags, log));
  if (flags.json) {
    print(as_json(release, log.options(), level));
  } else {
    TableOptions table = table_options(log.options(), level);
    table.top = top;
    const ModelQuality quality = model_quality(log.options(), release.statistics, release.model, level);
    print(model_table(release.model, release.statistics, log.options().schema, quality, table) + "\n" +
          promise_or_warning(log.options(), log.last_step()) + "\n");
  }
  return kDone;
}

}  // namespace

Runner declare_summary(CLI::App& app) {
  auto flags = std::make_shared<SummaryFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  declare_at(app, *flags);
  declare_level(app, *flags);
  app.add_option("--top", flags->top,
                 "Only the N largest coefficients, by size in box units, the largest first; all unless given, 20 of a "
                 "sketched model")
      ->type_name("N");
  app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();
  return [flags] { return summary(*flags); };
}

}  // namespace rivulet::cli
