#include "log/request_text.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "log/database.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/error.h"

namespace rivulet::log {
namespace {

using nlohmann::ordered_json;

ordered_json bounds_json(Interval bounds) {
  return ordered_json::array({bounds.lo, bounds.hi});
}

Interval bounds_from(const ordered_json& json) {
  if (!json.is_array() || json.size() != 2) throw RequestError("bounds", "not two numbers");
  return {json[0].get<double>(), json[1].get<double>()};
}

ordered_json features_json(const Schema& schema) {
  ordered_json features = ordered_json::array();
  for (const Feature& feature : schema.features()) {
    ordered_json entry{{"name", feature.name}};
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      entry["bounds"] = bounds_json(*bounds);
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      entry["columns"] = block->columns;
      entry["bounds"] = bounds_json(block->bounds);
    } else {
      entry["levels"] = std::get<Levels>(feature.domain).names;
    }
    features.push_back(std::move(entry));
  }
  return features;
}

// The positive class last; a model of numbers has bounds.
ordered_json target_json(const Schema& schema) {
  const Interval bounds = schema.target_bounds();
  ordered_json json{{"name", schema.target_name()}};
  if (!schema.has_classes()) {
    json["bounds"] = bounds_json(bounds);
  } else if (schema.class_words()) {
    json["classes"] = *schema.class_words();
  } else if (schema.target_scale().half_range < 0.0) {
    json["classes"] = bounds_json({bounds.hi, bounds.lo});
  } else {
    json["classes"] = bounds_json(bounds);
  }
  return json;
}

ordered_json sketch_json(const Sketch& sketch) {
  return {{"dimension", *sketch.dimension},
          {"embedding", to_string(*sketch.embedding)},
          {"column-weight", *sketch.column_weight},
          {"seed", *sketch.seed}};
}

const char* word(Solver solver) {
  return solver == Solver::noisy_proj_grad ? "noisy_proj_grad" : "fast";
}

constexpr const char* kUsualLoss = "squared";

// The words for the values of an enumeration.
template <typename Value, std::size_t N>
struct Words {
  const char* field;
  std::array<std::pair<Value, const char*>, N> table;

  [[nodiscard]] const char* word(Value value) const {
    for (const auto& [entry, word] : table) {
      if (entry == value) return word;
    }
    return "";
  }
  [[nodiscard]] Value value(std::string_view word) const {
    for (const auto& [entry, text] : table) {
      if (text == word) return entry;
    }
    throw RequestError(field, "unknown");
  }
};

constexpr Words<ErmMechanism, 3> kErmMechanisms{
    "mechanism",
    {{{ErmMechanism::periodic, "periodic"}, {ErmMechanism::naive, "naive"}, {ErmMechanism::trivial, "trivial"}}}};
constexpr Words<ErmMethod, 3> kErmMethods{"method",
                                          {{{ErmMethod::gradient_descent, "gradient-descent"},
                                            {ErmMethod::frank_wolfe, "frank-wolfe"},
                                            {ErmMethod::output_perturbation, "output-perturbation"}}}};
constexpr Words<ErmTauRule, 3> kErmRules{
    "rule",
    {{{ErmTauRule::convex, "convex"}, {ErmTauRule::strongly_convex, "strongly-convex"}, {ErmTauRule::width, "width"}}}};

ordered_json erm_json(const ErmSettings& erm) {
  ordered_json json;
  json["mechanism"] = kErmMechanisms.word(erm.mechanism);
  json["method"] = kErmMethods.word(erm.method);
  json["rule"] = kErmRules.word(erm.rule);
  json["tau"] = *erm.tau;
  json["ridge"] = erm.ridge;
  json["late-weight"] = erm.late_weight;
  json["iterations"] = erm.iterations ? ordered_json(*erm.iterations) : ordered_json();
  json["batches"] = erm.batches;
  json["averaged"] = *erm.averaged;
  return json;
}

ordered_json to_json(const StreamOptions& options) {
  const Schema& schema = options.schema;
  ordered_json json;
  json["target"] = target_json(schema);
  json["features"] = features_json(schema);
  json["intercept"] = schema.has_intercept();
  json["clip-norm"] = schema.clip_norm() ? ordered_json(*schema.clip_norm()) : ordered_json();
  json["epsilon"] = options.budget.epsilon;
  json["delta"] = options.budget.delta;
  json["neighbours"] = to_string(options.neighbours);
  json["unit"] =
      options.unit ? ordered_json{{"name", options.unit->name}, {"max-rows", options.unit->max_rows}} : ordered_json();
  json["only-if"] = options.only_if;
  json["profile"] = to_string(options.profile);
  json["horizon"] = options.horizon.is_known() ? ordered_json(options.horizon.steps()) : ordered_json("unbounded");
  json["release-every"] = options.release_every;
  json["strategy"] = options.strategy ? ordered_json(to_string(*options.strategy)) : ordered_json();
  json["buffers"] = options.buffers ? ordered_json(*options.buffers) : ordered_json();
  json["tree-decoding"] = ordered_json();
  if (options.tree_decoding)
    json["tree-decoding"] = *options.tree_decoding == TreeDecoding::paper ? "paper" : "optimal";
  json["constraint"] = options.constraint;
  json["solver"] = word(options.solver);
  json["noise-aware-ridge"] = options.noise_aware_ridge;
  json["insecure-seed"] = options.insecure_seed ? ordered_json(*options.insecure_seed) : ordered_json();
  // Only where there is one: the requests of older versions read the same.
  if (options.sketch) json["sketch"] = sketch_json(*options.sketch);
  if (!options.input_set.empty()) json["row-set"] = options.input_set;
  if (options.loss != kUsualLoss) {
    json["loss"] = options.loss;
    if (!options.erm) json["surrogate-margin"] = options.surrogate_margin;
  }
  if (options.erm) json["erm"] = erm_json(*options.erm);
  return json;
}

// Hands out each key once and notices what is left.
class Keys {
 public:
  explicit Keys(const ordered_json& json) : json_(json) {
    if (!json.is_object()) throw RequestError("request", "not an object");
  }
  const ordered_json& operator[](const char* key) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw RequestError(key, "missing");
    used_.insert(key);
    return *found;
  }
  // Null when it is not there.
  const ordered_json* find(const char* key) { return json_.contains(key) ? &(*this)[key] : nullptr; }
  void finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (!used_.contains(key)) throw RequestError(key, "unknown");
    }
  }

 private:
  const ordered_json& json_;
  std::set<std::string> used_;
};

std::uint64_t whole(const ordered_json& json) {
  if (!json.is_number_unsigned()) throw RequestError("number", "not a whole number");
  return json.get<std::uint64_t>();
}

Schema schema_from(Keys& keys) {
  Schema schema;
  schema.intercept(keys["intercept"].get<bool>());
  if (const ordered_json& limit = keys["clip-norm"]; !limit.is_null()) schema.clip_norm(limit.get<double>());
  for (const ordered_json& entry : keys["features"]) {
    Keys feature(entry);
    const auto name = feature["name"].get<std::string>();
    if (entry.contains("columns")) {
      schema.block(name, whole(feature["columns"]), bounds_from(feature["bounds"]));
    } else if (entry.contains("bounds")) {
      schema.feature(name, bounds_from(feature["bounds"]));
    } else {
      schema.categorical(name, feature["levels"].get<std::vector<std::string>>());
    }
    feature.finish();
  }
  Keys target(keys["target"]);
  const auto name = target["name"].get<std::string>();
  if (const ordered_json* classes = target.find("classes")) {
    if (classes->is_array() && !classes->empty() && classes->front().is_string()) {
      const auto words = classes->get<std::array<std::string, 2>>();
      if (classes->size() != words.size()) throw RequestError("classes", "not two");
      schema.classes(name, words[0], words[1]);
    } else {
      const Interval two = bounds_from(*classes);
      schema.classes(name, two.lo, two.hi);
    }
  } else {
    schema.target(name, bounds_from(target["bounds"]));
  }
  target.finish();
  schema.validate();
  return schema;
}

TreeDecoding decoding_from(const std::string& text) {
  if (text == "paper") return TreeDecoding::paper;
  if (text == "optimal") return TreeDecoding::optimal;
  throw RequestError("tree-decoding", "unknown");
}

Solver solver_from(const std::string& text) {
  if (text == "fast") return Solver::fast;
  if (text == "noisy_proj_grad") return Solver::noisy_proj_grad;
  throw RequestError("solver", "unknown");
}

std::optional<PrivacyUnit> unit_from(const ordered_json& json) {
  if (json.is_null()) return std::nullopt;
  Keys keys(json);
  PrivacyUnit unit{keys["name"].get<std::string>(), whole(keys["max-rows"])};
  keys.finish();
  return unit;
}

Sketch sketch_from(const ordered_json& json) {
  Keys keys(json);
  Sketch sketch;
  sketch.dimension = whole(keys["dimension"]);
  sketch.embedding = parse_embedding(keys["embedding"].get<std::string>());
  const std::uint64_t weight = whole(keys["column-weight"]);
  if (weight > 1000) throw RequestError("column-weight", "too large");
  sketch.column_weight = static_cast<unsigned>(weight);
  sketch.seed = whole(keys["seed"]);
  keys.finish();
  return sketch;
}

ErmSettings erm_from(const ordered_json& json) {
  Keys keys(json);
  ErmSettings erm;
  erm.mechanism = kErmMechanisms.value(keys["mechanism"].get<std::string>());
  erm.method = kErmMethods.value(keys["method"].get<std::string>());
  erm.rule = kErmRules.value(keys["rule"].get<std::string>());
  erm.tau = whole(keys["tau"]);
  erm.ridge = keys["ridge"].get<double>();
  erm.late_weight = keys["late-weight"].get<double>();
  if (const ordered_json& iterations = keys["iterations"]; !iterations.is_null()) erm.iterations = whole(iterations);
  erm.batches = whole(keys["batches"]);
  erm.averaged = keys["averaged"].get<bool>();
  keys.finish();
  return erm;
}

// A request that came with a file never makes anybody open another one.
std::string constraint_from(const ordered_json& json) {
  auto text = json.get<std::string>();
  if (text.starts_with("polytope:") && !text.starts_with("polytope:[")) {
    throw RequestError("constraint", "names another file");
  }
  return text;
}

StreamOptions from_json(const ordered_json& json) {
  Keys keys(json);
  StreamOptions options;
  options.schema = schema_from(keys);
  options.budget = {keys["epsilon"].get<double>(), keys["delta"].get<double>()};
  options.budget.validate();
  options.neighbours = parse_neighbours(keys["neighbours"].get<std::string>());
  options.unit = unit_from(keys["unit"]);
  options.only_if = keys["only-if"].get<std::vector<std::string>>();
  options.profile = parse_profile(keys["profile"].get<std::string>());
  const ordered_json& horizon = keys["horizon"];
  options.horizon = horizon.is_string() ? parse_horizon(horizon.get<std::string>()) : Horizon::known(whole(horizon));
  options.release_every = whole(keys["release-every"]);
  if (const ordered_json& strategy = keys["strategy"]; !strategy.is_null()) {
    options.strategy = parse_strategy(strategy.get<std::string>());
  }
  if (const ordered_json& buffers = keys["buffers"]; !buffers.is_null()) {
    const std::uint64_t number = whole(buffers);
    if (number > 1000) throw RequestError("buffers", "too many");
    options.buffers = static_cast<unsigned>(number);
  }
  if (const ordered_json& decoding = keys["tree-decoding"]; !decoding.is_null()) {
    options.tree_decoding = decoding_from(decoding.get<std::string>());
  }
  options.constraint = constraint_from(keys["constraint"]);
  options.solver = solver_from(keys["solver"].get<std::string>());
  options.noise_aware_ridge = keys["noise-aware-ridge"].get<bool>();
  if (const ordered_json& seed = keys["insecure-seed"]; !seed.is_null()) options.insecure_seed = whole(seed);
  if (const ordered_json* sketch = keys.find("sketch")) options.sketch = sketch_from(*sketch);
  if (const ordered_json* set = keys.find("row-set")) options.input_set = set->get<std::string>();
  if (const ordered_json* loss = keys.find("loss")) options.loss = loss->get<std::string>();
  if (const ordered_json* margin = keys.find("surrogate-margin")) options.surrogate_margin = margin->get<double>();
  if (const ordered_json* erm = keys.find("erm")) options.erm = erm_from(*erm);
  keys.finish();
  if (options.strategy.has_value() == options.erm.has_value()) throw RequestError("strategy", "missing");
  // Before anybody makes a constraint set of that many dimensions.
  if (!options.sketch && options.schema.dimension() > privacy::kMostDimensions) {
    throw RequestError("features", "too many without a sketch");
  }
  return options;
}

}  // namespace

std::string request_text(const StreamOptions& options) {
  try {
    return to_json(options).dump();
  } catch (const nlohmann::json::exception&) {
    throw RequestError("column", "a name or level is not UTF-8 text; accepted in a model file: UTF-8");
  }
}

StreamOptions parse_request(std::string_view text, const std::string& path) {
  try {
    return from_json(ordered_json::parse(text));
  } catch (const nlohmann::json::exception&) {
    throw DamagedFile("model: '" + path + "' is damaged: its request cannot be read; it was left untouched");
  } catch (const RequestError& error) {
    throw DamagedFile("model: '" + path + "' is damaged: its request is not one (" + one_line(error.what()) +
                      "); it was left untouched");
  }
}

std::string first_difference(const StreamOptions& stored, const StreamOptions& given) {
  // For people to read: a request may hold text that no model would be made with.
  const auto shown = [](const ordered_json& json) {
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  const ordered_json before = to_json(stored);
  const ordered_json now = to_json(given);
  const auto at = [](const ordered_json& json, const std::string& key) {
    return json.contains(key) ? json.at(key) : ordered_json();
  };
  for (const ordered_json* side : {&before, &now}) {
    for (const auto& [key, value] : side->items()) {
      const ordered_json stored_value = at(before, key);
      const ordered_json given_value = at(now, key);
      if (stored_value == given_value) continue;
      return key + " (the model has " + shown(stored_value) + ", the request " + shown(given_value) + ")";
    }
  }
  return "";
}

}  // namespace rivulet::log
