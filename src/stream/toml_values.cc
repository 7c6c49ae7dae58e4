#include "stream/toml_values.h"

#include <cmath>
#include <limits>

#include "base/number_text.h"
#include "base/shown.h"
#include "rivulet/error.h"
#include "stream/setting_text.h"

namespace rivulet::stream {
namespace {

std::string shown_value(const toml::value& value) {
  switch (value.type()) {
    case toml::value_t::boolean:
      return value.as_boolean() ? "true" : "false";
    case toml::value_t::integer:
      return std::to_string(value.as_integer());
    case toml::value_t::floating:
      return shown(value.as_floating());
    case toml::value_t::string:
      return shown(value.as_string().str);
    case toml::value_t::array:
      return "a list of " + std::to_string(value.as_array().size());
    case toml::value_t::table:
      return "a table";
    default:
      return "a date or time";
  }
}

// The parser turns a number too large for its type into the largest one there is; that is no number anybody wrote.
bool is_saturated(const toml::value& value) {
  if (value.is_integer()) {
    const auto number = value.as_integer();
    return number == std::numeric_limits<toml::integer>::max() || number == std::numeric_limits<toml::integer>::min();
  }
  return value.is_floating() && std::abs(value.as_floating()) == std::numeric_limits<toml::floating>::max();
}

}  // namespace

void refuse_value(const std::string& key, const toml::value& value, const std::string& accepted) {
  throw RequestError(key, shown_value(value) + " is not accepted; accepted: " + accepted);
}

std::string text_of(const std::string& key, const toml::value& value, const std::string& accepted) {
  if (!value.is_string() || value.as_string().str.empty()) refuse_value(key, value, accepted);
  return value.as_string().str;
}

double number_of(const std::string& key, const toml::value& value, const std::string& accepted) {
  if (!(value.is_integer() || value.is_floating()) || is_saturated(value)) refuse_value(key, value, accepted);
  return value.is_integer() ? static_cast<double>(value.as_integer()) : value.as_floating();
}

double positive_of(const std::string& key, const toml::value& value) {
  constexpr auto kAccepted = "a positive finite number, e.g. 1.5";
  const double number = number_of(key, value, kAccepted);
  if (!(number > 0.0) || !std::isfinite(number)) refuse_value(key, value, kAccepted);
  return number;
}

std::uint64_t positive_whole_of(const std::string& key, const toml::value& value, const std::string& accepted) {
  if (!value.is_integer() || value.as_integer() <= 0 || is_saturated(value)) refuse_value(key, value, accepted);
  return static_cast<std::uint64_t>(value.as_integer());
}

std::uint64_t whole_of(const std::string& key, const toml::value& value) {
  if (value.is_string()) return parse_whole(value.as_string().str, key);
  if (!value.is_integer() || value.as_integer() < 0 || is_saturated(value)) {
    refuse_value(key, value, "a whole number from 0 to 18446744073709551615, above 9223372036854775806 in quotes");
  }
  return static_cast<std::uint64_t>(value.as_integer());
}

bool switch_of(const std::string& key, const toml::value& value) {
  if (!value.is_boolean()) refuse_value(key, value, "true or false, without quotes");
  return value.as_boolean();
}

std::vector<std::string> names_of(const std::string& key, const toml::value& value, const std::string& accepted) {
  if (!value.is_array()) refuse_value(key, value, accepted);
  std::vector<std::string> names;
  for (const toml::value& name : value.as_array()) names.push_back(text_of(key, name, accepted));
  return names;
}

Interval interval_of(const std::string& key, const toml::value& value) {
  constexpr auto kAccepted = "[lo, hi] or \"lo:hi\", two finite numbers with lo < hi";
  if (value.is_string()) return parse_interval(value.as_string().str, key);
  if (!value.is_array() || value.as_array().size() != 2) refuse_value(key, value, kAccepted);
  const Interval bounds{number_of(key, value.as_array()[0], kAccepted), number_of(key, value.as_array()[1], kAccepted)};
  if (!std::isfinite(bounds.lo) || !std::isfinite(bounds.hi) || !(bounds.lo < bounds.hi)) {
    throw RequestError(key,
                       "[" + shown(bounds.lo) + ", " + shown(bounds.hi) + "] is not accepted; accepted: " + kAccepted);
  }
  return bounds;
}

ClassNames classes_of(const std::string& key, const toml::value& value) {
  constexpr auto kAccepted = "a list of two classes, the negative one first, e.g. [0, 1] or [\"no\", \"yes\"]";
  if (value.is_string()) return parse_classes(value.as_string().str, key);
  if (!value.is_array()) refuse_value(key, value, kAccepted);
  std::vector<std::string> names;
  for (const toml::value& name : value.as_array()) {
    names.push_back(name.is_string() ? std::string(trimmed(text_of(key, name, kAccepted)))
                                     : shown(number_of(key, name, kAccepted)));
  }
  return checked_classes(std::move(names), key);
}

Horizon horizon_of(const std::string& key, const toml::value& value) {
  if (value.is_string()) return parse_horizon(value.as_string().str, key);
  return Horizon::known(positive_whole_of(key, value, "\"unbounded\" or a positive whole number of steps"));
}

}  // namespace rivulet::stream
