#include "cli/fit_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/loss_flags.h"
#include "cli/sketch_flags.h"
#include "fit/mechanism.h"
#include "log/request_text.h"
#include "rivulet/domain.h"
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

// A block is declared for rows that are mostly zeros, far shorter than its box allows; noise for the longest row of the
// box would drown them, so how long a row may be has to be said. Rows of at most K values other than 0 have a norm of
// sqrt(K), an intercept counts as one more, and with it so does every numeric feature, whose 0 need not be its middle.
double norm_limit_of_blocks(const Schema& schema, const std::vector<std::string>& only_if) {
  double nonzeros = std::numeric_limits<double>::infinity();
  const Domain domain(only_if, schema);
  for (const Domain::Condition& condition : domain.conditions()) {
    if (condition.kind == Domain::Condition::Kind::nonzeros) nonzeros = std::min(nonzeros, condition.hi);
  }
  if (!std::isfinite(nonzeros)) {
    throw RequestError(
        "clip-norm",
        "not given; with a block the length of rows must be limited, in box units (each column scaled to "
        "[-1, 1]): longer rows are shortened to it, and noise grows with it; accepted: --clip-norm R, "
        "e.g. 1 for normalised rows (1.42 with an intercept), or --only-if 'nonzeros<=K', which makes it sqrt(K), or "
        "sqrt(K + 1) "
        "with an intercept");
  }
  if (schema.has_intercept()) {
    nonzeros += 1.0;
    for (const Feature& feature : schema.features()) nonzeros += std::holds_alternative<Interval>(feature.domain);
  }
  return std::sqrt(nonzeros);
}

Schema schema_from(const stream::FitConfig& config) {
  if (const input::RowFormat format = stream::format_of(config); !format->has_delimiter && config.delimiter) {
    throw RequestError("delimiter", std::string(format->title) + " rows have none; accepted: with CSV");
  }
  Schema schema = stream::build_schema(config);
  if (schema.has_blocks() && !config.clip_norm) schema.clip_norm(norm_limit_of_blocks(schema, config.only_if));
  return schema;
}

// Of the mechanism with its settings, as they would be compared: another one would make the settings of the model's
// look like contradictions.
bool is_another(const std::optional<stream::Mechanism>& typed, const stream::FitConfig& made_with) {
  if (!typed || typed == made_with.mechanism) return false;
  const auto is_sums = [](stream::Mechanism mechanism) {
    return mechanism == stream::Mechanism::full || mechanism == stream::Mechanism::sketch;
  };
  return !is_sums(*typed) || !is_sums(*made_with.mechanism);
}

}  // namespace

StreamOptions options_from(const stream::FitConfig& config, const std::optional<std::uint64_t>& insecure_seed) {
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
  check_loss(config);
  StreamOptions options;
  options.budget = {*config.epsilon, *config.delta};
  options.budget.validate();
  options.schema = schema_from(config);
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
  options.sketch = sketch_from(config);
  apply_loss(config, options);
  require_room(options, "mechanism");
  options.input_set = config.row_set.value_or("");
  options.insecure_seed = insecure_seed;
  return options;
}

stream::FitConfig config_from(const StreamOptions& options) {
  const Schema& schema = options.schema;
  stream::FitConfig config;
  config.target = schema.target_name();
  if (schema.has_classes()) {
    config.classes = stream::class_names(schema);
  } else {
    config.bounds.emplace(schema.target_name(), schema.target_bounds());
  }
  config.features.emplace();
  for (const Feature& feature : schema.features()) {
    config.features->push_back(feature.name);
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      config.bounds.emplace(feature.name, *bounds);
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      config.blocks.emplace_back(feature.name, block->columns);
      config.bounds.emplace(feature.name, block->bounds);
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
  if (!options.erm) {
    config.strategy = options.strategy;
    config.buffers = options.buffers;
    config.tree_decoding = options.tree_decoding;
  }
  config.constraint = options.constraint;
  write_sketch(options.sketch, config);
  write_loss(options, config);
  if (!options.input_set.empty()) config.row_set = options.input_set;
  return config;
}

void require_same_request(const StreamOptions& model, const stream::FitConfig& typed,
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
  if (typed.features && stream::feature_names(typed) != made_with.features) refuse("list of features");
  const bool other_kind =
      typed.classes ? !made_with.classes : typed.bounds.contains(*made_with.target) && made_with.classes;
  if (other_kind) refuse("kind of target");
  if (typed.loss && loss_of(typed) != made_with.loss) refuse("loss (the model has " + *made_with.loss + ")");
  if (is_another(typed.mechanism, made_with)) {
    refuse("mechanism (the model has " + std::string(to_string(*made_with.mechanism)) + ")");
  }
  StreamOptions wanted =
      options_from(stream::merge(made_with, typed), insecure_seed ? insecure_seed : model.insecure_seed);
  // No flag says these.
  wanted.solver = model.solver;
  wanted.noise_aware_ridge = model.noise_aware_ridge;
  if (model.erm && wanted.erm) {
    if (model.erm->mechanism == ErmMechanism::trivial) wanted.erm = model.erm;
    if (model.erm->mechanism == ErmMechanism::naive) wanted.erm->rule = model.erm->rule;
  }
  const std::string difference = log::first_difference(model, fit::with_defaults(wanted));
  if (!difference.empty()) refuse(difference);
}

}  // namespace rivulet::cli
