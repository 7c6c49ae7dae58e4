#include "cli/fit_options.h"

#include <algorithm>
#include <limits>

#include "fit/mechanism.h"
#include "log/request_text.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

std::optional<PrivacyUnit> unit_from(const stream::FitConfig& config) {
  if (config.unit.has_value() != config.max_rows_per_unit.has_value()) {
    throw RequestError(config.unit ? "max-rows-per-unit" : "unit",
                       config.unit ? "not given; with --unit, how many rows of one unit may count must be said, e.g. "
                                     "--max-rows-per-unit 10"
                                   : "not given; --max-rows-per-unit needs the column that says whose row it is, e.g. "
                                     "--unit person_id");
  }
  if (!config.unit) return std::nullopt;
  return PrivacyUnit{*config.unit, *config.max_rows_per_unit};
}

}  // namespace

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
  options.unit = unit_from(config);
  options.only_if = config.only_if;
  if (config.profile) options.profile = *config.profile;
  if (config.horizon) options.horizon = *config.horizon;
  if (config.release_every) options.release_every = *config.release_every;
  options.strategy = config.strategy;
  if (config.buffers) {
    constexpr std::uint64_t kMost = std::numeric_limits<unsigned>::max();
    options.buffers = static_cast<unsigned>(std::min(*config.buffers, kMost));
  }
  options.tree_decoding = config.tree_decoding;
  if (config.constraint) options.constraint = *config.constraint;
  options.insecure_seed = insecure_seed;
  return options;
}

stream::FitConfig config_from(const PrivIncReg1::Options& options) {
  const Schema& schema = options.schema;
  stream::FitConfig config;
  config.target = schema.target_name();
  config.bounds.emplace(schema.target_name(), schema.target_bounds());
  config.features.emplace();
  for (const Feature& feature : schema.features()) {
    config.features->push_back(feature.name);
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      config.bounds.emplace(feature.name, *bounds);
    } else {
      config.levels.emplace(feature.name, std::get<Levels>(feature.domain).names);
    }
  }
  config.intercept = schema.has_intercept();
  config.clip_norm = schema.clip_norm();
  config.epsilon = options.budget.epsilon;
  config.delta = options.budget.delta;
  config.neighbours = options.neighbours;
  if (options.unit) {
    config.unit = options.unit->name;
    config.max_rows_per_unit = options.unit->max_rows;
  }
  config.only_if = options.only_if;
  config.profile = options.profile;
  config.horizon = options.horizon;
  config.release_every = options.release_every;
  config.strategy = options.strategy;
  config.buffers = options.buffers;
  config.tree_decoding = options.tree_decoding;
  config.constraint = options.constraint;
  return config;
}

void require_same_request(const PrivIncReg1::Options& model, const stream::FitConfig& typed,
                          const std::optional<std::uint64_t>& insecure_seed) {
  const auto refuse = [](const std::string& difference) {
    throw RequestError("model",
                       "it was made with another " + difference +
                           "; its settings are part of its promise and cannot change. Leave the flag out, or "
                           "start another model; for other fits of the same releases see rivulet refit --help");
  };
  const stream::FitConfig made_with = config_from(model);
  // First: with other columns the bounds and levels of the model's would look like slips of the pen.
  if (typed.target && typed.target != made_with.target) refuse("target");
  if (typed.features && typed.features != made_with.features) refuse("list of features");
  PrivIncReg1::Options wanted =
      options_from(stream::merge(made_with, typed), insecure_seed ? insecure_seed : model.insecure_seed);
  // No flag says these.
  wanted.solver = model.solver;
  wanted.noise_aware_ridge = model.noise_aware_ridge;
  const std::string difference = log::first_difference(model, fit::with_defaults(wanted));
  if (!difference.empty()) refuse(difference);
}

}  // namespace rivulet::cli
