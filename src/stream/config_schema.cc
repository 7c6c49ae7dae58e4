#include <algorithm>
#include <utility>

#include "base/shown.h"
#include "rivulet/error.h"
#include "stream/config.h"
#include "stream/setting_text.h"

namespace rivulet::stream {
namespace {

enum class Role { feature, block, target };

[[noreturn]] void refuse_undeclared(const std::string& column, Role role) {
  std::string how = "--bound " + column + "=LO:HI or an entry " + column + " = [LO, HI] under [bounds]";
  if (role == Role::block) how += ", one for all columns of the block";
  if (role == Role::target) how += "; for a target of two classes --classes NEGATIVE,POSITIVE";
  if (role == Role::feature) how += "; for categories --levels " + column + "=A|B or an entry under [levels]";
  throw RequestError("bound " + column,
                     "not declared; bounds are never learnt from the data, they are what you know of the " +
                         std::string(role == Role::target ? "target" : "column") +
                         " without looking; accepted: " + how);
}

// A declaration for a column nobody uses is most likely a slip in its name.
void check_is_used(const std::string& kind, const std::string& column, const FitConfig& config) {
  const std::vector<std::string> names = feature_names(config);
  std::vector<std::string_view> used(names.begin(), names.end());
  used.push_back(*config.target);
  if (std::find(used.begin(), used.end(), column) != used.end()) return;
  const std::string_view suggestion = nearest(column, used);
  throw RequestError(kind + " " + column,
                     "declared for a column that is neither a feature nor the target; " +
                         (suggestion.empty() ? std::string("accepted: a name listed in features, or the target")
                                             : "did you mean " + shown(suggestion) + "?"));
}

auto find_block(const FitConfig& config, const std::string& name) {
  return std::find_if(config.blocks.begin(), config.blocks.end(),
                      [&](const auto& block) { return block.first == name; });
}

void declare_feature(Schema& schema, const std::string& name, const FitConfig& config) {
  const auto bounds = config.bounds.find(name);
  const auto levels = config.levels.find(name);
  if (const auto block = find_block(config, name); block != config.blocks.end()) {
    if (levels != config.levels.end()) {
      throw RequestError("levels " + name, "declared for a block, whose columns are numbers; accepted: --bound " +
                                               name + "=LO:HI or an entry under [bounds]");
    }
    if (bounds == config.bounds.end()) refuse_undeclared(name, Role::block);
    schema.block(name, block->second, bounds->second);
    return;
  }
  if (bounds != config.bounds.end() && levels != config.levels.end()) {
    throw RequestError("column " + name,
                       "has both bounds and levels; accepted: bounds (a number) or levels (a category)");
  }
  if (bounds != config.bounds.end()) {
    schema.feature(name, bounds->second);
  } else if (levels != config.levels.end()) {
    schema.categorical(name, levels->second);
  } else {
    refuse_undeclared(name, Role::feature);
  }
}

void declare_target(Schema& schema, const FitConfig& config) {
  const std::string& target = *config.target;
  if (config.levels.contains(target)) {
    throw RequestError("levels " + target,
                       "declared for the target, which is a number or one of two classes; accepted: --bound " + target +
                           "=LO:HI or an entry under [bounds], or --classes NEGATIVE,POSITIVE");
  }
  const auto bounds = config.bounds.find(target);
  if (!config.classes) {
    if (bounds == config.bounds.end()) refuse_undeclared(target, Role::target);
    schema.target(target, bounds->second);
    return;
  }
  if (bounds != config.bounds.end()) {
    throw RequestError("bound " + target,
                       "declared for a target of two classes, which are its only values; accepted: "
                       "--classes without it");
  }
  const auto& [negative, positive] = *config.classes;
  if (const auto numbers = class_numbers(*config.classes)) {
    schema.classes(target, (*numbers)[0], (*numbers)[1]);
  } else {
    schema.classes(target, negative, positive);
  }
}

}  // namespace

void add_block(FitConfig& config, const std::string& text, const std::string& field) {
  auto [name, columns] = parse_block(text, field);
  if (find_block(config, name) != config.blocks.end()) {
    throw RequestError(field + " " + name, "declared twice; accepted: every block once");
  }
  config.blocks.emplace_back(std::move(name), columns);
}

FitConfig with_dimension(FitConfig config) {
  if (!config.dimension) return config;
  const std::string name = "x";
  if (find_block(config, name) != config.blocks.end()) {
    throw RequestError("dimension", "is short for the block x, and a block x is declared; accepted: one of the two");
  }
  config.blocks.emplace_back(name, *config.dimension);
  config.dimension.reset();
  if (!config.target) config.target = "y";
  return config;
}

input::RowFormat format_of(const FitConfig& config) {
  return config.format ? *config.format : input::format_by_name(config.input.value_or("-"));
}

std::vector<std::string> feature_names(const FitConfig& config) {
  std::vector<std::string> names = config.features.value_or(std::vector<std::string>{});
  const std::size_t listed = names.size();
  for (const auto& [name, columns] : config.blocks) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(listed);
    if (std::find(names.begin(), end, name) == end) names.push_back(name);
  }
  return names;
}

Schema build_schema(const FitConfig& config) {
  if (const input::RowFormat format = format_of(config); format->needs_dimension && config.blocks.empty()) {
    throw RequestError("dimension", "not set; " + std::string(format->title) +
                                        " rows have no header that says how many columns there are; accepted: "
                                        "--dimension D, the largest index there may be");
  }
  if (!config.target) {
    throw RequestError("target", "not set; accepted: --target NAME or target = \"NAME\", the column to predict");
  }
  if (!config.features && config.blocks.empty()) {
    throw RequestError("features",
                       "not set; accepted: --features A,B or features = [\"A\", \"B\"], the columns to use, or "
                       "--block NAME:COLUMNS");
  }
  for (const auto& [name, bounds] : config.bounds) check_is_used("bound", name, config);
  for (const auto& [name, levels] : config.levels) check_is_used("levels", name, config);

  Schema schema;
  schema.intercept(config.intercept.value_or(true));
  if (config.clip_norm) schema.clip_norm(*config.clip_norm);
  for (const std::string& name : feature_names(config)) declare_feature(schema, name, config);

  declare_target(schema, config);
  schema.validate();
  return schema;
}

}  // namespace rivulet::stream
