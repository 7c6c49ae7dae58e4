// A configuration file and what was typed, put together.
#include <algorithm>
#include <utility>

#include "stream/config.h"

namespace rivulet::stream {
namespace {

template <typename Setting>
void override_with(std::optional<Setting>& base, const std::optional<Setting>& replacement) {
  if (replacement) base = replacement;
}

void set_block(FitConfig& config, const std::string& name, std::uint64_t columns) {
  const auto found =
      std::find_if(config.blocks.begin(), config.blocks.end(), [&](const auto& block) { return block.first == name; });
  if (found == config.blocks.end()) {
    config.blocks.emplace_back(name, columns);
  } else {
    found->second = columns;
  }
}

// A mechanism that is asked for does away with what the base says of others.
void keep_settings_of(Mechanism mechanism, FitConfig& base) {
  if (mechanism != Mechanism::sketch) {
    base.sketch.reset();
    base.embedding.reset();
    base.column_weight.reset();
    base.sketch_seed.reset();
  }
  if (mechanism != Mechanism::surrogate) base.margin.reset();
  if (is_erm(mechanism)) {
    base.strategy.reset();
    base.tree_decoding.reset();
    base.buffers.reset();
    base.row_set.reset();
  }
  if (mechanism == Mechanism::erm) return;
  base.tau.reset();
  base.tau_rule.reset();
  if (mechanism == Mechanism::naive) return;
  base.method.reset();
  base.iterations.reset();
  base.batches.reset();
  base.ridge.reset();
  base.late_weight.reset();
  base.average.reset();
}

void merge_mechanism(FitConfig& base, const FitConfig& overrides) {
  if (overrides.sketch) base.mechanism.reset();
  if (overrides.tau_rule) base.tau.reset();
  override_with(base.mechanism, overrides.mechanism);
  override_with(base.sketch, overrides.sketch);
  override_with(base.embedding, overrides.embedding);
  override_with(base.column_weight, overrides.column_weight);
  override_with(base.sketch_seed, overrides.sketch_seed);
  override_with(base.loss, overrides.loss);
  override_with(base.margin, overrides.margin);
  override_with(base.tau, overrides.tau);
  override_with(base.tau_rule, overrides.tau_rule);
  override_with(base.method, overrides.method);
  override_with(base.iterations, overrides.iterations);
  override_with(base.batches, overrides.batches);
  override_with(base.ridge, overrides.ridge);
  override_with(base.late_weight, overrides.late_weight);
  override_with(base.average, overrides.average);
}

// The target has bounds or classes, whichever was said last.
void merge_classes(FitConfig& base, const FitConfig& overrides) {
  const std::string target = base.target.value_or("y");  // see with_dimension()
  if (overrides.classes) base.bounds.erase(target);
  if (overrides.bounds.contains(target)) base.classes.reset();
  override_with(base.classes, overrides.classes);
}

}  // namespace

FitConfig merge(FitConfig base, const FitConfig& overrides) {
  if (overrides.mechanism) keep_settings_of(*overrides.mechanism, base);
  override_with(base.input, overrides.input);
  override_with(base.format, overrides.format);
  override_with(base.target, overrides.target);
  override_with(base.features, overrides.features);
  for (const auto& [name, columns] : overrides.blocks) set_block(base, name, columns);
  override_with(base.dimension, overrides.dimension);
  override_with(base.intercept, overrides.intercept);
  override_with(base.clip_norm, overrides.clip_norm);
  override_with(base.epsilon, overrides.epsilon);
  override_with(base.delta, overrides.delta);
  override_with(base.neighbours, overrides.neighbours);
  override_with(base.horizon, overrides.horizon);
  override_with(base.release_every, overrides.release_every);
  override_with(base.strategy, overrides.strategy);
  override_with(base.tree_decoding, overrides.tree_decoding);
  override_with(base.buffers, overrides.buffers);
  override_with(base.constraint, overrides.constraint);
  override_with(base.profile, overrides.profile);
  override_with(base.releases, overrides.releases);
  override_with(base.delimiter, overrides.delimiter);
  override_with(base.model, overrides.model);
  if (!overrides.only_if.empty()) base.only_if = overrides.only_if;
  override_with(base.unit, overrides.unit);
  override_with(base.max_rows_per_unit, overrides.max_rows_per_unit);
  override_with(base.whole_steps, overrides.whole_steps);
  merge_mechanism(base, overrides);
  merge_classes(base, overrides);
  override_with(base.row_set, overrides.row_set);
  for (const auto& [name, bounds] : overrides.bounds) base.levels.erase(name);
  for (const auto& [name, levels] : overrides.levels) base.bounds.erase(name);
  for (const auto& [name, bounds] : overrides.bounds) base.bounds.insert_or_assign(name, bounds);
  for (const auto& [name, levels] : overrides.levels) base.levels.insert_or_assign(name, levels);
  return base;
}

}  // namespace rivulet::stream
