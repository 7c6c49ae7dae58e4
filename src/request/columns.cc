// What the rows are: from settings to a schema, and back.
#include <algorithm>

#include "base/number_text.h"
#include "request/settings.h"
#include "rivulet/error.h"

namespace rivulet::request {
namespace {

using Blocks = std::vector<std::pair<std::string, std::uint64_t>>;

Blocks blocks_in(const Settings& given) {
  Blocks blocks;
  if (!given.contains("block")) return blocks;
  const std::string key = "block";
  for (const std::string& text : Given{given["block"], key}.texts("name:columns, e.g. word:4000")) {
    auto [name, columns] = Given{Json(text), key}.block();
    for (const auto& [other, unused] : blocks) {
      if (other == name) throw RequestError("block " + name, "declared twice; accepted: every block once");
    }
    blocks.emplace_back(std::move(name), columns);
  }
  return blocks;
}

// Null when nothing is declared of the column.
const Json* declared(const Settings& given, const char* kind, const std::string& column) {
  const auto table = given.find(kind);
  if (table == given.end()) return nullptr;
  const auto found = table->find(column);
  return found == table->end() ? nullptr : &*found;
}

Interval bounds_of(const Json& value, const std::string& column) {
  return Given{value, "bounds " + column}.interval();
}

enum class Role { feature, block, target };

[[noreturn]] void refuse_undeclared(const std::string& column, Role role) {
  std::string accepted = "bounds " + column + "=LO:HI";
  if (role == Role::block) accepted += ", one for all columns of the block";
  if (role == Role::target) accepted += ", or for a target of two classes classes=NEGATIVE,POSITIVE";
  if (role == Role::feature) accepted += ", or for categories levels " + column + "=A|B";
  throw RequestError("bounds " + column,
                     "not declared; bounds are never learnt from the data, they are what you know of the " +
                         std::string(role == Role::target ? "target" : "column") +
                         " without looking; accepted: " + accepted);
}

// A declaration for a column nobody uses is most likely a slip in its name.
void require_used(const Settings& given, const char* kind, const std::vector<std::string>& features,
                  const std::string& target) {
  if (!given.contains(kind)) return;
  std::vector<std::string_view> used(features.begin(), features.end());
  used.push_back(target);
  for (const auto& [column, value] : given[kind].items()) {
    if (std::find(used.begin(), used.end(), column) != used.end()) continue;
    const std::string_view suggestion = nearest(column, used);
    throw RequestError(std::string(kind) + " " + column,
                       "declared for a column that is neither a feature nor the target; " +
                           (suggestion.empty() ? std::string("accepted: a name listed in features, or the target")
                                               : "did you mean " + shown(suggestion) + "?"));
  }
}

void declare_feature(Schema& schema, const std::string& name, const Settings& given, const Blocks& blocks) {
  const Json* bounds = declared(given, "bounds", name);
  const Json* levels = declared(given, "levels", name);
  const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const auto& entry) { return entry.first == name; });
  if (block != blocks.end()) {
    if (levels != nullptr) {
      throw RequestError("levels " + name,
                         "declared for a block, whose columns are numbers; accepted: bounds " + name + "=LO:HI");
    }
    if (bounds == nullptr) refuse_undeclared(name, Role::block);
    schema.block(name, block->second, bounds_of(*bounds, name));
  } else if (bounds != nullptr && levels != nullptr) {
    throw RequestError("column " + name,
                       "has both bounds and levels; accepted: bounds (a number) or levels (a category)");
  } else if (bounds != nullptr) {
    schema.feature(name, bounds_of(*bounds, name));
  } else if (levels != nullptr) {
    schema.categorical(name, Given{*levels, "levels " + name}.texts("a list of levels"));
  } else {
    refuse_undeclared(name, Role::feature);
  }
}

void declare_target(Schema& schema, const std::string& target, const Settings& given) {
  if (declared(given, "levels", target) != nullptr) {
    throw RequestError("levels " + target,
                       "declared for the target, which is a number or one of two classes; accepted: "
                       "bounds " +
                           target + "=LO:HI, or classes=NEGATIVE,POSITIVE");
  }
  const Json* bounds = declared(given, "bounds", target);
  if (!given.contains("classes")) {
    if (bounds == nullptr) refuse_undeclared(target, Role::target);
    schema.target(target, bounds_of(*bounds, target));
    return;
  }
  if (bounds != nullptr) {
    throw RequestError("bounds " + target,
                       "declared for a target of two classes, which are its only values; accepted: classes without it");
  }
  const ClassNames names = Given{given["classes"], "classes"}.classes();
  if (const auto numbers = class_numbers(names)) {
    schema.classes(target, (*numbers)[0], (*numbers)[1]);
  } else {
    schema.classes(target, names[0], names[1]);
  }
}

}  // namespace

Settings with_dimension(Settings given) {
  if (!given.contains("dimension")) return given;
  const std::string name = "x";
  std::vector<std::string> texts;
  for (const auto& [block, columns] : blocks_in(given)) {
    if (block == name) {
      throw RequestError("dimension", "is short for the block x, and a block x is declared; accepted: one of the two");
    }
    texts.push_back(block + ":" + std::to_string(columns));
  }
  const std::string key = "dimension";
  texts.push_back(name + ":" + std::to_string(Given{given[key], key}.positive_whole()));
  given["block"] = texts;
  given.erase(key);
  if (!given.contains("target")) given["target"] = "y";
  return given;
}

std::vector<std::string> feature_names(const Settings& given) {
  std::vector<std::string> names;
  if (given.contains("features")) names = Given{given["features"], "features"}.names();
  const std::vector<std::string> listed = names;
  for (const auto& [name, columns] : blocks_in(given)) {
    if (std::find(listed.begin(), listed.end(), name) == listed.end()) names.push_back(name);
  }
  return names;
}

Schema schema_from(const Settings& given) {
  const Blocks blocks = blocks_in(given);
  if (!given.contains("target"))
    throw RequestError("target", "not given; accepted: target=NAME, the column to predict");
  if (!given.contains("features") && blocks.empty()) {
    throw RequestError("features", "not given; accepted: features=A,B, the columns to use, or block=NAME:COLUMNS");
  }
  const auto target = given["target"].get<std::string>();
  const std::vector<std::string> features = feature_names(given);
  for (const char* kind : {"bounds", "levels"}) require_used(given, kind, features, target);

  Schema schema;
  schema.intercept(given.value("intercept", true));
  if (given.contains("clip-norm")) schema.clip_norm(Given{given["clip-norm"], "clip-norm"}.positive());
  for (const std::string& name : features) declare_feature(schema, name, given, blocks);
  declare_target(schema, target, given);
  schema.validate();
  return schema;
}

ClassNames class_names(const Schema& schema) {
  if (schema.class_words()) return *schema.class_words();
  const Interval bounds = schema.target_bounds();
  const bool reversed = schema.target_scale().half_range < 0.0;
  return {shown(reversed ? bounds.hi : bounds.lo), shown(reversed ? bounds.lo : bounds.hi)};
}

Settings settings_of(const Schema& schema) {
  const auto pair = [](Interval bounds) { return Json::array({bounds.lo, bounds.hi}); };
  Settings result = Json::object();
  result["target"] = schema.target_name();
  result["features"] = Json::array();
  if (schema.has_classes()) {
    result["classes"] = class_names(schema);
  } else {
    result["bounds"][schema.target_name()] = pair(schema.target_bounds());
  }
  for (const Feature& feature : schema.features()) {
    result["features"].push_back(feature.name);
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      result["bounds"][feature.name] = pair(*bounds);
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      result["block"].push_back(feature.name + ":" + std::to_string(block->columns));
      result["bounds"][feature.name] = pair(block->bounds);
    } else {
      result["levels"][feature.name] = std::get<Levels>(feature.domain).names;
    }
  }
  result["intercept"] = schema.has_intercept();
  if (schema.clip_norm()) result["clip-norm"] = *schema.clip_norm();
  return result;
}

}  // namespace rivulet::request
