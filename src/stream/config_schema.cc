#include <algorithm>
#include <utility>

#include "rivulet/error.h"
#include "stream/config.h"
#include "stream/number_text.h"
#include "stream/setting_text.h"

namespace rivulet::stream {
namespace {

template <typename Setting>
void override_with(std::optional<Setting>& base, const std::optional<Setting>& replacement) {
  if (replacement) base = replacement;
}

[[noreturn]] void refuse_undeclared(const std::string& column, bool is_target) {
  std::string how = "--bound " + column + "=LO:HI or an entry " + column + " = [LO, HI] under [bounds]";
  if (!is_target) how += "; for categories --levels " + column + "=A|B or an entry under [levels]";
  throw RequestError("bound " + column,
                     "not declared; bounds are never learnt from the data, they are what you know of the " +
                         std::string(is_target ? "target" : "column") + " without looking; accepted: " + how);
}

// A declaration for a column nobody uses is most likely a slip in its name.
void check_is_used(const std::string& kind, const std::string& column, const FitConfig& config) {
  std::vector<std::string_view> used(config.features->begin(), config.features->end());
  used.push_back(*config.target);
  if (std::find(used.begin(), used.end(), column) != used.end()) return;
  const std::string_view suggestion = nearest(column, used);
  throw RequestError(kind + " " + column,
                     "declared for a column that is neither a feature nor the target; " +
                         (suggestion.empty() ? std::string("accepted: a name listed in features, or the target")
                                             : "did you mean " + shown(suggestion) + "?"));
}

void declare_feature(Schema& schema, const std::string& name, const FitConfig& config) {
  const auto bounds = config.bounds.find(name);
  const auto levels = config.levels.find(name);
  if (bounds != config.bounds.end() && levels != config.levels.end()) {
    throw RequestError("column " + name,
                       "has both bounds and levels; accepted: bounds (a number) or levels (a category)");
  }
  if (bounds != config.bounds.end()) {
    schema.feature(name, bounds->second);
  } else if (levels != config.levels.end()) {
    schema.categorical(name, levels->second);
  } else {
    refuse_undeclared(name, false);
  }
}

}  // namespace

FitConfig merge(FitConfig base, const FitConfig& overrides) {
  override_with(base.input, overrides.input);
  override_with(base.target, overrides.target);
  override_with(base.features, overrides.features);
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
  for (const auto& [name, bounds] : overrides.bounds) base.levels.erase(name);
  for (const auto& [name, levels] : overrides.levels) base.bounds.erase(name);
  for (const auto& [name, bounds] : overrides.bounds) base.bounds.insert_or_assign(name, bounds);
  for (const auto& [name, levels] : overrides.levels) base.levels.insert_or_assign(name, levels);
  return base;
}

Schema build_schema(const FitConfig& config) {
  if (!config.target) {
    throw RequestError("target", "not set; accepted: --target NAME or target = \"NAME\", the column to predict");
  }
  if (!config.features) {
    throw RequestError("features",
                       "not set; accepted: --features A,B or features = [\"A\", \"B\"], the columns to use");
  }
  for (const auto& [name, bounds] : config.bounds) check_is_used("bound", name, config);
  for (const auto& [name, levels] : config.levels) check_is_used("levels", name, config);

  Schema schema;
  schema.intercept(config.intercept.value_or(true));
  if (config.clip_norm) schema.clip_norm(*config.clip_norm);
  for (const std::string& name : *config.features) declare_feature(schema, name, config);

  if (config.levels.contains(*config.target)) {
    throw RequestError("levels " + *config.target, "declared for the target, which is a number; accepted: --bound " +
                                                       *config.target + "=LO:HI or an entry under [bounds]");
  }
  const auto bounds = config.bounds.find(*config.target);
  if (bounds == config.bounds.end()) refuse_undeclared(*config.target, true);
  schema.target(*config.target, bounds->second);
  schema.validate();
  return schema;
}

}  // namespace rivulet::stream
