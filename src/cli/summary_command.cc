// `rivulet summary`: the coefficients of a published model and how sure they are.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/log_flags.h"
#include "cli/report.h"
#include "rivulet/inference.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Print a published model: coefficients, standard errors, intervals.\n"
    "\n"
    "Reads the public half of a model file, or an export of it. Intervals contain the sampling noise of\n"
    "the rows and the privacy noise together. Costs no privacy budget, at any past release.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet summary survey.rivulet\n"
    "    rivulet summary survey.rivulet --at 100 --level 0.9\n"
    "    rivulet summary survey.rivulet --json | jq '.coefficients[] | {name, estimate, lower, upper}'";

struct SummaryFlags : LogFlags {
  bool json = false;
};

// JSON has no infinity: what is not determined is null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string as_json(const Release& release, const PrivIncReg1::Options& options, double level) {
  nlohmann::ordered_json json;
  json["step"] = release.model.step;
  json["rows"] = release.model.rows;
  json["target"] = options.schema.target_name();
  const auto& model = release.model;
  std::vector<double> published;
  if (options.schema.has_intercept()) published.push_back(model.intercept);
  for (const Coefficient& coefficient : model.coefficients) published.push_back(coefficient.value);
  const auto names = options.schema.coordinate_names();
  std::optional<Inference> inference;
  if (release.statistics.has_target_square) inference.emplace(options.schema, release.statistics, level);
  auto& coefficients = json["coefficients"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < published.size(); ++i) {
    nlohmann::ordered_json entry{{"name", names[i]}, {"published", number(published[i])}};
    if (inference) {
      const CoefficientInterval& interval = inference->coefficients()[i];
      entry["determined"] = interval.determined;
      entry["estimate"] = number(interval.estimate);
      entry["standard_error"] = number(interval.standard_error);
      entry["lower"] = number(interval.lower);
      entry["upper"] = number(interval.upper);
      entry["p_value"] = number(interval.p_value);
      entry["naive_standard_error"] = number(interval.naive_standard_error);
    }
    coefficients.push_back(std::move(entry));
  }
  if (inference) {
    json["level"] = level;
    json["residual_stddev"] = number(inference->residual_stddev());
    json["r_squared"] = number(inference->r_squared());
    json["r_squared_stddev"] = number(inference->r_squared_stddev());
    json["usable_rows"] = number(inference->usable_rows());
  }
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
  const ReleaseLog log(flags.model);
  const Release release = log.at(chosen_step(flags, log));
  if (flags.json) {
    print(as_json(release, log.options(), level));
  } else {
    print(model_table(release.model, release.statistics, log.options().schema, level) + "\n" +
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
  app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();
  return [flags] { return summary(*flags); };
}

}  // namespace rivulet::cli
