#include "stream/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <new>
#include <sstream>
#include <toml.hpp>
#include <tuple>
#include <utility>

#include "base/shown.h"
#include "input/byte_source.h"
#include "rivulet/error.h"
#include "stream/setting_text.h"
#include "stream/toml_guard.h"
#include "stream/toml_values.h"

namespace rivulet::stream {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;

// Runs `read` on one value of the file and adds to its errors where in the file that was.
void at_line(const toml::value& value, const std::string& origin, const std::function<void()>& read) {
  try {
    read();
  } catch (const RequestError& error) {
    const std::string explanation = std::string(error.what()).substr(error.field().size() + 2);
    throw RequestError(error.field(),
                       explanation + " (" + origin + ", line " + std::to_string(value.location().line()) + ")");
  }
}

struct Entry {
  std::string key;
  toml::value value;
};

// In the order of the file, so that the first mistake is the one reported.
std::vector<Entry> entries_of(const toml::value& table) {
  std::vector<std::tuple<std::size_t, std::size_t, const std::string*, const toml::value*>> placed;
  for (const auto& [key, value] : table.as_table()) {
    const auto where = value.location();
    placed.emplace_back(where.line(), where.column(), &key, &value);
  }
  std::sort(placed.begin(), placed.end());
  std::vector<Entry> entries;
  entries.reserve(placed.size());
  for (const auto& [line, column, key, value] : placed) entries.push_back({*key, *value});
  return entries;
}

struct Setting {
  std::string_view key;
  void (*read)(FitConfig&, const std::string& key, const toml::value&);
};

constexpr auto kName = "the name of a column in quotes";
constexpr auto kPath = "a path in quotes";

constexpr auto kSettings = std::to_array<Setting>({
    {"input", [](FitConfig& c, const std::string& key, const toml::value& v) { c.input = text_of(key, v, kPath); }},
    {"format",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.format = input::parse_row_format(text_of(key, v, input::format_names(" or ", "\"")), key);
     }},
    {"target", [](FitConfig& c, const std::string& key, const toml::value& v) { c.target = text_of(key, v, kName); }},
    {"features",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.features = names_of(key, v, "a list of names of columns, e.g. [\"age\", \"income\"]");
     }},
    {"block",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "name:columns in quotes, e.g. \"word:4000\", or a list of them";
       for (const std::string& text : v.is_array() ? names_of(key, v, kAccepted)
                                                   : std::vector{text_of(key, v, kAccepted)}) {
         add_block(c, text, key);
       }
     }},
    {"dimension",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.dimension = positive_whole_of(key, v); }},
    {"intercept", [](FitConfig& c, const std::string& key, const toml::value& v) { c.intercept = switch_of(key, v); }},
    {"clip-norm",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.clip_norm = positive_of(key, v); }},
    {"epsilon", [](FitConfig& c, const std::string& key, const toml::value& v) { c.epsilon = positive_of(key, v); }},
    {"delta",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "a number above 0 and below 1, e.g. 1e-6";
       const double delta = number_of(key, v, kAccepted);
       if (!(delta > 0.0) || !(delta < 1.0)) refuse_value(key, v, kAccepted);
       c.delta = delta;
     }},
    {"neighbours",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.neighbours = parse_neighbours(text_of(key, v, "\"replace\" or \"zero-out\""), key);
     }},
    {"horizon", [](FitConfig& c, const std::string& key, const toml::value& v) { c.horizon = horizon_of(key, v); }},
    {"release-every",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.release_every = positive_whole_of(key, v); }},
    {"strategy",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.strategy = parse_strategy(text_of(key, v, "\"blt\", \"tree\" or \"hybrid\""), key);
     }},
    {"tree-decoding",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.tree_decoding = parse_tree_decoding(text_of(key, v, "\"optimal\" or \"paper\""), key);
     }},
    {"buffers", [](FitConfig& c, const std::string& key,
                   const toml::value& v) { c.buffers = positive_whole_of(key, v, "a whole number from 1 to 8"); }},
    {"constraint",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.constraint = text_of(key, v, "a constraint set in quotes, e.g. \"l2:1.5\"");
     }},
    {"profile",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.profile = parse_profile(text_of(key, v, "\"tight\" or \"paper\""), key);
     }},
    {"releases",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.releases = text_of(key, v, kPath); }},
    {"delimiter",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.delimiter = parse_delimiter(text_of(key, v, "one character in quotes, or \"tab\""), key);
     }},
    {"model", [](FitConfig& c, const std::string& key, const toml::value& v) { c.model = text_of(key, v, kPath); }},
    {"only-if",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "a condition in quotes, e.g. \"age=18:65\", or a list of them";
       c.only_if = v.is_array() ? names_of(key, v, kAccepted) : std::vector{text_of(key, v, kAccepted)};
     }},
    {"unit", [](FitConfig& c, const std::string& key, const toml::value& v) { c.unit = text_of(key, v, kName); }},
    {"max-rows-per-unit", [](FitConfig& c, const std::string& key,
                             const toml::value& v) { c.max_rows_per_unit = positive_whole_of(key, v); }},
    {"whole-steps",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.whole_steps = switch_of(key, v); }},
    {"mechanism",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.mechanism = parse_mechanism(text_of(key, v, "\"full\", \"sketch\", \"erm\", ... in quotes"), key);
     }},
    {"sketch",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "a number of dimensions, e.g. 400, \"auto\" or \"paper\"";
       c.sketch = v.is_string() ? parse_sketch_size(text_of(key, v, kAccepted), key)
                                : SketchSize{positive_whole_of(key, v, kAccepted)};
     }},
    {"embedding",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.embedding = text_of(key, v, "\"sparse-sign\" or \"gaussian\"");
     }},
    {"column-weight", [](FitConfig& c, const std::string& key,
                         const toml::value& v) { c.column_weight = positive_whole_of(key, v, "a number from 1 to 64"); }},
    {"sketch-seed",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.sketch_seed = whole_of(key, v); }},
    {"row-set",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.row_set = text_of(key, v, "\"dense\", \"sparse:K\" or \"l1:R\"");
     }},
    {"loss",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.loss = text_of(key, v, "a loss in quotes, e.g. \"logistic\" or \"quantile:0.9\"");
     }},
    {"classes",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.classes = classes_of(key, v); }},
    {"margin", [](FitConfig& c, const std::string& key, const toml::value& v) { c.margin = positive_of(key, v); }},
    {"tau", [](FitConfig& c, const std::string& key, const toml::value& v) { c.tau = positive_whole_of(key, v); }},
    {"tau-rule",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.tau_rule = parse_tau_rule(text_of(key, v, "\"convex\", \"strongly-convex\" or \"width\""), key);
     }},
    {"method",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       c.method = parse_erm_method(text_of(key, v, "\"gradient-descent\", \"frank-wolfe\" or \"output-perturbation\""), key);
     }},
    {"iterations",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.iterations = positive_whole_of(key, v); }},
    {"batches",
     [](FitConfig& c, const std::string& key, const toml::value& v) { c.batches = positive_whole_of(key, v); }},
    {"ridge",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "a finite number, 0 or more";
       const double ridge = number_of(key, v, kAccepted);
       if (!(ridge >= 0.0) || !std::isfinite(ridge)) refuse_value(key, v, kAccepted);
       c.ridge = ridge;
     }},
    {"late-weight",
     [](FitConfig& c, const std::string& key, const toml::value& v) {
       constexpr auto kAccepted = "a finite number, e.g. 1";
       const double weight = number_of(key, v, kAccepted);
       if (!std::isfinite(weight)) refuse_value(key, v, kAccepted);
       c.late_weight = weight;
     }},
    {"average", [](FitConfig& c, const std::string& key, const toml::value& v) { c.average = switch_of(key, v); }},
});

[[noreturn]] void refuse_key(const std::string& key) {
  std::vector<std::string_view> keys{"bounds", "levels"};
  for (const Setting& known : kSettings) keys.push_back(known.key);
  if (const std::string_view suggestion = nearest(key, keys); !suggestion.empty()) {
    throw RequestError(key, "unknown key; did you mean " + shown(suggestion) + "?");
  }
  std::string accepted;
  for (const std::string_view known : keys) accepted += (accepted.empty() ? "" : ", ") + std::string(known);
  throw RequestError(key, "unknown key; accepted: " + accepted);
}

void read_setting(FitConfig& config, const Entry& entry) {
  const std::string& key = entry.key;
  const toml::value& value = entry.value;
  if (key == "bounds" || key == "levels") {
    refuse_value(key, value, "a table: [" + key + "] on a line of its own, then one entry a column");
  }
  const auto setting = std::find_if(kSettings.begin(), kSettings.end(), [&](const Setting& s) { return s.key == key; });
  if (setting == kSettings.end()) refuse_key(key);
  setting->read(config, key, value);
}

void read_column(FitConfig& config, const std::string& kind, const Entry& entry) {
  const std::string field = kind + "." + entry.key;
  if (kind == "bounds") {
    config.bounds.insert_or_assign(entry.key, interval_of(field, entry.value));
  } else {
    config.levels.insert_or_assign(entry.key, names_of(field, entry.value, "a list of names, e.g. [\"AA\", \"UA\"]"));
  }
}

// The parser explains itself over several lines with a picture; its first line says what is wrong.
std::string first_line(const std::string& explanation) {
  std::string line = explanation.substr(0, explanation.find('\n'));
  if (line.starts_with("[error] ")) line.erase(0, 8);
  if (line.starts_with("toml::")) line.erase(0, std::min(line.find(": "), line.size() - 2) + 2);
  return line;
}

toml::value parse_toml(std::string_view text, const std::string& origin) {
  check_before_parsing(text, origin);
  std::istringstream stream{std::string(text)};
  try {
    return toml::parse(stream, origin);
  } catch (const toml::exception& error) {
    throw RequestError("config", origin + ", line " + std::to_string(error.location().line()) +
                                     ": not TOML: " + first_line(error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    throw RequestError("config", origin + ": not TOML; accepted: lines of key = value, [bounds] and [levels]");
  }
}

}  // namespace

FitConfig parse_config(std::string_view text, const std::string& origin) {
  FitConfig config;
  for (const Entry& entry : entries_of(parse_toml(text, origin))) {
    if ((entry.key == "bounds" || entry.key == "levels") && entry.value.is_table()) {
      for (const Entry& column : entries_of(entry.value)) {
        at_line(column.value, origin, [&] { read_column(config, entry.key, column); });
      }
    } else {
      at_line(entry.value, origin, [&] { read_setting(config, entry); });
    }
  }
  return config;
}

FitConfig read_config(const std::string& path) {
  input::FileSource source(path);
  std::string text(kLargestConfig + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t more = source.read({text.data() + length, text.size() - length});
    if (more == 0) break;
    length += more;
  }
  if (length > kLargestConfig) {
    throw RequestError("config",
                       path + " is too large; accepted: at most " + std::to_string(kLargestConfig) + " bytes");
  }
  text.resize(length);
  return parse_config(text, source.name());
}

}  // namespace rivulet::stream
