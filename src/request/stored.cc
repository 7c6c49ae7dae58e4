// The request of a model file: JSON with fixed keys, whose bytes are part of the promise. Reading gives the same
// request back, bit for bit.
#include <set>

#include "privacy/mechanism_plan.h"
#include "request/settings.h"
#include "rivulet/error.h"

namespace rivulet::request {
namespace {

Json bounds_json(Interval bounds) {
  return Json::array({bounds.lo, bounds.hi});
}

Interval bounds_from(const Json& json) {
  if (!json.is_array() || json.size() != 2) throw RequestError("bounds", "not two numbers");
  return {json[0].get<double>(), json[1].get<double>()};
}

Json features_json(const Schema& schema) {
  Json features = Json::array();
  for (const Feature& feature : schema.features()) {
    Json entry{{"name", feature.name}};
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
Json target_json(const Schema& schema) {
  const Interval bounds = schema.target_bounds();
  Json json{{"name", schema.target_name()}};
  if (!schema.has_classes()) {
    json["bounds"] = bounds_json(bounds);
  } else if (schema.class_words()) {
    json["classes"] = *schema.class_words();
  } else {
    const bool reversed = schema.target_scale().half_range < 0.0;
    json["classes"] = bounds_json(reversed ? Interval{bounds.hi, bounds.lo} : bounds);
  }
  return json;
}

// Where they are not the words of the settings.
constexpr std::array<std::array<std::string_view, 3>, 2> kOlderWords{
    {{"solver", "noisy-proj-grad", "noisy_proj_grad"}, {"mechanism", "erm", "periodic"}}};

Json respelled(std::string_view key, Json value, std::size_t from, std::size_t to) {
  for (const auto& words : kOlderWords) {
    if (words[0] == key && value == words[from]) return words[to];
  }
  return value;
}

bool has_object(const StreamOptions& request, std::string_view object) {
  return object == "erm"      ? request.erm.has_value()
         : object == "sketch" ? request.sketch.has_value()
                              : request.unit.has_value();
}

struct Place {
  std::string object;  // empty: at the top
  std::string key;
};

Place place_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {"", std::string(path)};
  return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

Json to_json(const StreamOptions& request) {
  Json json;
  json["target"] = target_json(request.schema);
  json["features"] = features_json(request.schema);
  json["intercept"] = request.schema.has_intercept();
  json["clip-norm"] = request.schema.clip_norm() ? Json(*request.schema.clip_norm()) : Json();
  for (const Setting& setting : settings()) {
    if (setting.stored.path.empty()) continue;
    const Place place = place_of(setting.stored.path);
    if (!place.object.empty() && !has_object(request, place.object)) {
      if (place.object == "unit") json["unit"] = Json();
      continue;
    }
    const auto value_of = setting.stored.value != nullptr ? setting.stored.value : setting.write;
    Json value = respelled(setting.key, value_of(request), 1, 2);
    if (value.is_null() && setting.stored.left_out_when_null) continue;
    (place.object.empty() ? json : json[place.object])[place.key] = std::move(value);
  }
  return json;
}

// Hands out each key once and notices what is left.
class Keys {
 public:
  explicit Keys(const Json& json) : json_(json) {
    if (!json.is_object()) throw RequestError("request", "not an object");
  }
  const Json& operator[](const std::string& key) {
    const Json* found = find(key);
    if (found == nullptr) throw RequestError(key, "missing");
    return *found;
  }
  // Null when it is not there.
  const Json* find(const std::string& key) {
    used_.insert(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  void finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (!used_.contains(key)) throw RequestError(key, "unknown");
    }
  }

 private:
  const Json& json_;
  std::set<std::string> used_;
};

Schema schema_from(Keys& keys) {
  Schema schema;
  schema.intercept(keys["intercept"].get<bool>());
  if (const Json& limit = keys["clip-norm"]; !limit.is_null()) schema.clip_norm(limit.get<double>());
  for (const Json& entry : keys["features"]) {
    Keys feature(entry);
    const auto name = feature["name"].get<std::string>();
    if (entry.contains("columns")) {
      schema.block(name, Given{feature["columns"], "columns"}.positive_whole(), bounds_from(feature["bounds"]));
    } else if (entry.contains("bounds")) {
      schema.feature(name, bounds_from(feature["bounds"]));
    } else {
      schema.categorical(name, feature["levels"].get<std::vector<std::string>>());
    }
    feature.finish();
  }
  Keys target(keys["target"]);
  const auto name = target["name"].get<std::string>();
  if (const Json* classes = target.find("classes")) {
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

StreamOptions from_json(const Json& json) {
  Keys keys(json);
  StreamOptions request;
  request.schema = schema_from(keys);
  std::map<std::string, Keys> objects;
  for (const Setting& setting : settings()) {
    if (setting.stored.path.empty()) continue;
    const Place place = place_of(setting.stored.path);
    Keys* from = &keys;
    if (!place.object.empty()) {
      const Json* object = place.object == "unit" ? &keys["unit"] : keys.find(place.object);
      if (object == nullptr || object->is_null()) continue;
      from = &objects.try_emplace(place.object, *object).first->second;
    }
    const Json* value = setting.stored.left_out_when_null ? from->find(place.key) : &(*from)[place.key];
    if (value == nullptr) continue;
    if (value->is_null()) {
      if (!place.object.empty() && setting.key != "iterations") throw RequestError(place.key, "missing");
      continue;
    }
    const std::string key(setting.key);
    setting.read({respelled(setting.key, *value, 2, 1), key}, request);
  }
  keys.finish();
  for (const auto& [name, object] : objects) object.finish();
  // A request that came with a file never makes anybody open another one.
  if (request.constraint.starts_with("polytope:") && !request.constraint.starts_with("polytope:[")) {
    throw RequestError("constraint", "names another file");
  }
  if (request.strategy.has_value() == request.erm.has_value()) throw RequestError("strategy", "missing");
  if (request.loss.empty()) request.loss = "squared";
  if (!request.mechanism) {
    request.mechanism = request.sketch             ? Mechanism::sketch
                        : request.surrogate_margin ? Mechanism::surrogate
                                                   : Mechanism::full;
  }
  // Text that says a number, or nothing where something belongs, is damage here.
  const Json written = to_json(request);
  for (const auto& [key, value] : json.items()) {
    if (!written.contains(key) || written[key] != value) throw RequestError(key, "not as it would be written");
  }
  // Before anybody makes a constraint set of that many dimensions.
  if (!request.sketch && request.schema.dimension() > privacy::kMostDimensions) {
    throw RequestError("features", "too many without a sketch");
  }
  return request;
}

}  // namespace

std::string stored_text(const StreamOptions& request) {
  try {
    return to_json(request).dump();
  } catch (const Json::exception&) {
    throw RequestError("column", "a name or level is not UTF-8 text; accepted in a model file: UTF-8");
  }
}

StreamOptions read_stored(std::string_view text) {
  try {
    return from_json(Json::parse(text));
  } catch (const Json::exception&) {
    throw RequestError("request", "cannot be read");
  }
}

std::string first_difference(const StreamOptions& stored, const StreamOptions& given) {
  // For people to read: a request may hold text that no model would be made with.
  const auto shown = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  const Json before = to_json(stored);
  const Json now = to_json(given);
  const auto at = [](const Json& json, const std::string& key) { return json.contains(key) ? json.at(key) : Json(); };
  for (const Json* side : {&before, &now}) {
    for (const auto& [key, value] : side->items()) {
      const Json stored_value = at(before, key);
      const Json given_value = at(now, key);
      if (stored_value == given_value) continue;
      return key + " (the model has " + shown(stored_value) + ", the request " + shown(given_value) + ")";
    }
  }
  return "";
}

}  // namespace rivulet::request
