#include "request/toml_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <system_error>
#include <toml.hpp>
#include <tuple>

#include "rivulet/error.h"

namespace rivulet::request {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kDeepest = 64;

// Length of the UTF-8 sequence `text` starts with (RFC 3629: shortest form, no surrogates, up to U+10FFFF); 0 when it
// starts with none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

[[noreturn]] void refuse(std::string_view before, const std::string& origin, const std::string& fault) {
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  throw RequestError("config", origin + ", line " + std::to_string(line) + ": " + fault);
}

// Before the TOML parser sees the text: toml11 3.7 reads out of bounds on text that is not UTF-8 and recurses into
// nested values and dotted keys without a limit. Brackets and dots inside quotes count too; no honest configuration
// comes near.
void check_before_parsing(std::string_view text, const std::string& origin) {
  constexpr std::string_view kEndsKey = "[]{},=\n";
  std::size_t open_brackets = 0;
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) refuse(text.substr(0, at), origin, "not UTF-8; accepted: TOML text in UTF-8");
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    if (control) refuse(text.substr(0, at), origin, "a control character; accepted: TOML text in UTF-8");

    if (c == '[' || c == '{') ++open_brackets;
    if ((c == ']' || c == '}') && open_brackets > 0) --open_brackets;
    if (c == '.') ++dots;
    if (kEndsKey.find(c) != std::string_view::npos) dots = 0;
    if (open_brackets > kDeepest || dots > kDeepest) {
      refuse(text.substr(0, at), origin,
             "nested too deeply; accepted: at most " + std::to_string(kDeepest) + " levels");
    }
    at += length;
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

Json json_of(const toml::value& value, const std::string& key) {
  switch (value.type()) {
    case toml::value_t::boolean:
      return value.as_boolean();
    case toml::value_t::string:
      return value.as_string().str;
    case toml::value_t::integer:
    case toml::value_t::floating:
      if (is_saturated(value)) throw RequestError(key, "the number is too large; accepted: one that a double can hold");
      if (value.is_integer()) return value.as_integer();
      return value.as_floating();
    case toml::value_t::array: {
      Json list = Json::array();
      for (const toml::value& entry : value.as_array()) list.push_back(json_of(entry, key));
      return list;
    }
    case toml::value_t::table: {
      Json table = Json::object();
      for (const auto& [name, entry] : value.as_table()) table[name] = json_of(entry, key);
      return table;
    }
    default:
      throw RequestError(key, "a date or time is not accepted; accepted: text, a number, true, false or a list");
  }
}

// In the order of the file, so that the first mistake is the one reported.
std::vector<std::pair<std::string, toml::value>> entries_of(const toml::value& table) {
  std::vector<std::tuple<std::size_t, std::size_t, const std::string*, const toml::value*>> placed;
  for (const auto& [key, value] : table.as_table()) {
    const auto where = value.location();
    placed.emplace_back(where.line(), where.column(), &key, &value);
  }
  std::sort(placed.begin(), placed.end());
  std::vector<std::pair<std::string, toml::value>> entries;
  for (const auto& [line, column, key, value] : placed) entries.emplace_back(*key, *value);
  return entries;
}

// Adds one setting, or one column of [bounds] or [levels]; its errors say where in the file it stands.
void read_entry(Settings& settings, const std::string& key, const std::string& column, const toml::value& value,
                const std::string& origin) {
  try {
    Json json = json_of(value, key);
    if (!column.empty()) json = Json{{column, std::move(json)}};
    require_readable(Json{{key, json}});
    if (column.empty()) {
      settings[key] = std::move(json);
    } else {
      settings[key].update(json);
    }
  } catch (const RequestError& error) {
    const std::string explanation = std::string(error.what()).substr(error.field().size() + 2);
    throw RequestError(error.field(),
                       explanation + " (" + origin + ", line " + std::to_string(value.location().line()) + ")");
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

Settings parse_toml_settings(std::string_view text, const std::string& origin) {
  Settings settings = Json::object();
  for (const auto& [key, value] : entries_of(parse_toml(text, origin))) {
    const Setting* setting = find_setting(key);
    if (setting != nullptr && setting->shape == Shape::columns && value.is_table()) {
      for (const auto& [column, declared] : entries_of(value)) read_entry(settings, key, column, declared, origin);
    } else {
      read_entry(settings, key, "", value, origin);
    }
  }
  require_readable(settings);
  return settings;
}

Settings read_toml_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw IoError(path + ": cannot be opened: " + std::generic_category().message(errno));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) {
    throw RequestError("config", path + " is too large; accepted: at most " + std::to_string(kLargestFile) + " bytes");
  }
  return parse_toml_settings(text, path);
}

}  // namespace rivulet::request
