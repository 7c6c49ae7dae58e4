// `rivulet inspect`: what a model promised, what it has published, and, for its operator, how its rows fared.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/operator_counts.h"
#include "cli/report.h"
#include "cli/setting_flags.h"
#include "cli/source_state.h"
#include "fit/mechanism.h"
#include "plan/reports.h"
#include "privacy/mechanism_plan.h"
#include "request/settings.h"
#include "rivulet/durable_regression.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Show what a model promised and what it has published.\n"
    "\n"
    "Budget, mechanism, columns, releases and the ledger, after checking every release of the file. What\n"
    "goes to standard output is public. For a model file (not for an export) exact counts of the rows\n"
    "that could not be used go to standard error: they are for the operator only.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet inspect survey.rivulet\n"
    "    rivulet inspect survey-public.rivulet --json | jq .ledger";

struct InspectFlags : LogFlags {
  bool json = false;
};

std::string unit_text(const StreamOptions& options) {
  if (!options.unit) return "one row";
  return fmt::format("all rows of one {}, of which the first {} count", options.unit->name, options.unit->max_rows);
}

std::string column_text(const Feature& feature) {
  if (const auto* bounds = std::get_if<Interval>(&feature.domain))
    return fmt::format("{} to {}", bounds->lo, bounds->hi);
  if (const auto* block = std::get_if<Block>(&feature.domain)) {
    return fmt::format("{} column{} {}1 to {}{}, each {} to {}", block->columns, block->columns == 1 ? "" : "s",
                       feature.name, feature.name, block->columns, block->bounds.lo, block->bounds.hi);
  }
  return fmt::format("one of {}", fmt::join(std::get<Levels>(feature.domain).names, ", "));
}

std::string sketch_text(const StreamOptions& options) {
  const Sketch& sketch = *options.sketch;
  std::string embedding(to_string(*sketch.embedding));
  if (sketch.embedding == EmbeddingKind::sparse_sign) {
    embedding += fmt::format(" with {} entries a column", *sketch.column_weight);
  }
  return fmt::format("{} dimensions for {} coordinates; {}; seed {}", *sketch.dimension, options.schema.dimension(),
                     embedding, *sketch.seed);
}

std::string line_of(std::string_view label, const std::string& value) {
  return fmt::format("  {:<24}{}\n", label, value);
}

std::string target_text(const Schema& schema) {
  if (schema.has_classes()) {
    const auto [negative, positive] = request::class_names(schema);
    return fmt::format("{} or {} (target: {} is the positive class)", negative, positive, positive);
  }
  const Interval bounds = schema.target_bounds();
  return fmt::format("{} to {} (target)", bounds.lo, bounds.hi);
}

std::string moments_text(const StreamOptions& options, const privacy::MechanismPlan& plan) {
  std::string out;
  if (options.loss != "squared") {
    out += line_of("loss", fmt::format("{}, by its quadratic surrogate for log-odds up to {:g}", options.loss,
                                       *options.surrogate_margin));
  }
  return out +
         line_of("strategy", fmt::format("{}; profile {}", to_string(*options.strategy), to_string(options.profile))) +
         line_of("mu", fmt::format("{:.6f}", plan.mu())) +
         line_of("sensitivity of a step", fmt::format("{:.6f}", plan.l2_sensitivity())) +
         line_of("strategy norm", fmt::format("{:.6f}", plan.strategy().norm()));
}

std::string erm_text(const StreamOptions& options, const erm::ErmPlan& plan) {
  const ErmSettings& erm = *options.erm;
  std::string loss = options.loss;
  if (erm.ridge > 0.0) loss += fmt::format(", and a ridge of {:g} a row", erm.ridge);
  std::string out = line_of("mechanism", fmt::format("{}; profile {}",
                                                     erm.mechanism == ErmMechanism::periodic ? "PrivIncERM"
                                                     : erm.mechanism == ErmMechanism::naive  ? "naive"
                                                                                             : "trivial",
                                                     to_string(options.profile))) +
                    line_of("loss", loss);
  if (erm.mechanism == ErmMechanism::trivial) return out;
  const bool tau_is_one = *erm.tau == 1;
  out += line_of("calls", fmt::format("every {}; {}", tau_is_one ? "step" : fmt::format("{} steps", *erm.tau),
                                      options.horizon.is_known()
                                          ? fmt::format("{} in all", plan::calls_until(erm, plan.last_step()))
                                          : "no end"));
  if (erm.mechanism == ErmMechanism::periodic) {
    out += line_of("rule for tau", std::string(request::to_string(erm.rule)));
  }
  return out +
         line_of("solver", fmt::format("{}; {}", request::to_string(erm.method),
                                       *erm.averaged ? "a mean over the last few calls is published"
                                                     : "the last call's model is published")) +
         line_of("mu", fmt::format("{:.6f}", plan.gradients().mu())) +
         line_of("derivatives up to", fmt::format("{:.6f}", plan.lipschitz())) +
         line_of("rows kept", fmt::format("{} bytes a row", plan::kept_bytes(options.schema, 1.0)));
}

// The noise in the last release.
std::string noise_text(const Model& model, const StreamOptions& options, const fit::StreamPlan& plan) {
  if (plan.erm() == nullptr) {
    return line_of("noise now",
                   fmt::format("{:.4g} gram diagonal, {:.4g} gram off-diagonal, {:.4g} cross",
                               model.noise.gram_diagonal, model.noise.gram_offdiagonal, model.noise.cross));
  }
  const std::uint64_t calls = plan::calls_until(*options.erm, model.step);
  std::string text = line_of("calls", fmt::format("{} so far", calls));
  if (const auto call = last_call(*plan.erm(), model)) {
    text +=
        line_of("noise of the last", fmt::format("{:.4g} in each coordinate of its {}", plan.erm()->call_noise(*call),
                                                 options.erm->method == ErmMethod::output_perturbation
                                                     ? "minimiser, rows scaled to the unit ball"
                                                     : "mean sum of gradients"));
  }
  return text +
         line_of("rows take", plan::shown_bytes(plan::kept_bytes(options.schema, static_cast<double>(model.rows))));
}

std::string as_text(const ReleaseLog& log, const fit::StreamPlan& plan) {
  const StreamOptions& options = log.options();
  const std::uint64_t last = log.last_step();
  std::string out;
  const auto line = [&](std::string_view label, const std::string& value) { out += line_of(label, value); };
  out += log.is_export() ? "An export: public\n" : "A model: its file is sensitive, what is printed here is public\n";
  line("made by", "rivulet " + log.made_by());
  out += "Promise\n";
  line("budget",
       fmt::format("epsilon {}, delta {} for all releases together", options.budget.epsilon, options.budget.delta));
  line("protected", unit_text(options));
  line("neighbours", std::string(to_string(options.neighbours)));
  line("steps covered", options.horizon.is_known() ? fmt::format("{}", plan.last_step())
                                                   : fmt::format("unbounded (up to {})", plan.last_step()));
  if (options.insecure_seed) line("NOT PRIVATE", "made with --insecure-seed; anyone can remove the noise");
  out += "Mechanism\n";
  out += plan.erm() != nullptr ? erm_text(options, *plan.erm()) : moments_text(options, plan.moments());
  line("constraint", options.constraint);
  if (options.sketch) line("sketch", sketch_text(options));
  if (options.sketch || !options.input_set.empty()) line("rows expected", fit::input_set(options).name());
  line("release every", fmt::format("{} row{}", options.release_every, options.release_every == 1 ? "" : "s"));
  out += "Columns\n";
  for (const Feature& feature : options.schema.features()) line(feature.name, column_text(feature));
  line(options.schema.target_name(), target_text(options.schema));
  if (!options.only_if.empty()) line("only if", fmt::format("{}", fmt::join(options.only_if, " and ")));
  out += "Releases\n";
  line("published", fmt::format("{}, all checked", last));
  if (last != 0) {
    const Release release = log.at(last);
    line("rows in them", fmt::format("{}", release.model.rows));
    out += noise_text(release.model, options, plan);
    line("chain", release.chain);
  }
  out += "Ledger\n";
  const auto ledger = log.ledger();
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    if (i == 1 && ledger.size() > kShown + 1) {
      line("", fmt::format("... {} entries more ...", ledger.size() - kShown - 1));
      i = ledger.size() - kShown;
    }
    line(ledger[i].time,
         fmt::format("{:<8} step {}, {} rows {}", ledger[i].event, ledger[i].step, ledger[i].rows, ledger[i].detail));
  }
  return out;
}

nlohmann::ordered_json erm_json(const StreamOptions& options, const erm::ErmPlan& plan, std::uint64_t last) {
  const ErmSettings& erm = *options.erm;
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  return {{"tau", *erm.tau},
          {"tau_rule", request::to_string(erm.rule)},
          {"method", request::to_string(erm.method)},
          {"iterations", or_null(erm.iterations)},
          {"batches", erm.batches},
          {"ridge", erm.ridge},
          {"late_weight", erm.late_weight},
          {"average", *erm.averaged},
          {"lipschitz", plan.lipschitz()},
          {"calls", plan::calls_until(erm, last)}};
}

std::string as_json(const ReleaseLog& log, const fit::StreamPlan& plan) {
  const StreamOptions& options = log.options();
  nlohmann::ordered_json json;
  json["kind"] = log.is_export() ? "export" : "model";
  json["made_by"] = log.made_by();
  json["epsilon"] = options.budget.epsilon;
  json["delta"] = options.budget.delta;
  json["neighbours"] = to_string(options.neighbours);
  json["unit"] = options.unit ? options.unit->name : "row";
  json["max_rows_per_unit"] = options.unit ? options.unit->max_rows : 1;
  json["last_step"] = plan.last_step();
  json["loss"] = options.loss;
  json["mechanism"] = request::to_string(*options.mechanism);
  if (options.schema.has_classes()) json["classes"] = request::class_names(options.schema);
  json["profile"] = to_string(options.profile);
  if (plan.erm() != nullptr) {
    json["mu"] = plan.erm()->gradients().mu();
    json["erm"] = erm_json(options, *plan.erm(), log.last_step());
  } else {
    const privacy::MechanismPlan& moments = plan.moments();
    json["strategy"] = to_string(*options.strategy);
    json["mu"] = moments.mu();
    json["l2_sensitivity"] = moments.l2_sensitivity();
    json["strategy_norm"] = moments.strategy().norm();
    if (options.surrogate_margin) json["margin"] = *options.surrogate_margin;
  }
  json["constraint"] = options.constraint;
  json["dimension"] = options.schema.dimension();
  if (options.sketch) {
    json["sketch"] = {{"dimension", *options.sketch->dimension},
                      {"embedding", to_string(*options.sketch->embedding)},
                      {"column_weight", *options.sketch->column_weight},
                      {"seed", *options.sketch->seed}};
  }
  if (options.sketch || !options.input_set.empty()) json["row_set"] = fit::input_set(options).name();
  json["release_every"] = options.release_every;
  json["not_private"] = options.insecure_seed.has_value();
  json["releases"] = log.last_step();
  if (log.last_step() != 0) {
    const Release release = log.at(log.last_step());
    json["rows"] = release.model.rows;
    json["chain"] = release.chain;
  }
  json["ledger"] = nlohmann::ordered_json::array();
  for (const LedgerEntry& entry : log.ledger()) {
    json["ledger"].push_back({{"time", entry.time},
                              {"event", entry.event},
                              {"step", entry.step},
                              {"rows", entry.rows},
                              {"detail", entry.detail}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// `released`: rows in the releases, those of the step under way not among them.
std::string operator_text(const std::string& path, bool sketched, std::uint64_t released) {
  const SourceState state = source_state_from(DurableRegression::source_of(path));
  const OperatorCounts counts = counts_in(state);
  const std::vector<Door> doors = DurableRegression::doors_of(path);
  const std::uint64_t elsewhere = released - std::min(released, counts.tally.rows);
  std::string text;
  if (!doors.empty() || elsewhere != 0) {
    text = fmt::format("operator only, do not publish: rows that came from no input of rivulet fit: {}\n",
                       doors_text(doors, elsewhere));
  }
  if (!state.started()) return text;
  text += fmt::format("operator only, do not publish: {} rows taken, from {} input{}, the last {}\n", counts.tally.rows,
                      state.finished.size() + 1, state.finished.empty() ? "" : "s",
                      state.input == "-" ? "standard input" : state.input);
  return text + operator_note(counts, sketched);
}

int inspect(const InspectFlags& flags) {
  const ReleaseLog log(flags.model);
  log.verify();
  const std::uint64_t released = log.last_step() == 0 ? 0 : log.at(log.last_step()).statistics.rows;
  const std::string for_operator = log.is_export() ? ""
                                                   : operator_text(flags.model, log.options().sketch.has_value(),
                                                                   released);  // before anything is printed
  print(flags.json ? as_json(log, log.plan()) : as_text(log, log.plan()));
  tell(for_operator);
  return kDone;
}

}  // namespace

Runner declare_inspect(CLI::App& app) {
  auto flags = std::make_shared<InspectFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();
  return [flags] { return inspect(*flags); };
}

}  // namespace rivulet::cli
