#include "request/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet::request {
namespace {

std::string shown_value(const Json& value) {
  if (value.is_string()) return shown(value.get_ref<const std::string&>());
  if (value.is_number_float()) return shown(value.get<double>());
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_object()) return "a table";
  if (value.is_null()) return "nothing";
  return value.dump();
}

// The number that is meant, finite or not.
std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? parse_finite(trimmed(value.get_ref<const std::string&>())) : std::nullopt;
}

std::optional<std::uint64_t> whole_in(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0) return value.get<std::uint64_t>();
  if (!value.is_string()) return std::nullopt;
  const std::string_view digits = trimmed(value.get_ref<const std::string&>());
  const char* const end = digits.data() + digits.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

// Shown without quotes when it is a number after all, however it was written.
[[noreturn]] void refuse_number(const Given& given, const std::string& accepted) {
  if (const auto number = number_in(given.value)) given.refuse(*number, accepted);
  given.refuse(accepted);
}

bool has_empty_or_repeated(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  return parts.empty() || parts.front().empty() || std::adjacent_find(parts.begin(), parts.end()) != parts.end();
}

// Edits (insert, delete, replace) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void Given::refuse(double number, const std::string& accepted) const {
  throw RequestError(field, shown(number) + " is not accepted; accepted: " + accepted);
}

void Given::refuse(const std::string& accepted) const {
  throw RequestError(field, shown_value(value) + " is not accepted; accepted: " + accepted);
}

double Given::number(const std::string& accepted) const {
  const auto number = number_in(value);
  if (!number || !std::isfinite(*number)) refuse_number(*this, accepted);
  return *number;
}

double Given::positive() const {
  constexpr auto kAccepted = "a positive finite number, e.g. 1.5";
  const double positive = number(kAccepted);
  if (!(positive > 0.0)) refuse_number(*this, kAccepted);
  return positive;
}

std::uint64_t Given::whole() const {
  const auto number = whole_in(value);
  if (!number) refuse_number(*this, "a whole number from 0 to 18446744073709551615");
  return *number;
}

std::uint64_t Given::positive_whole(const std::string& accepted, std::uint64_t most) const {
  const auto number = whole_in(value);
  if (!number || *number == 0 || *number > most) refuse_number(*this, accepted);
  return *number;
}

bool Given::truth() const {
  if (!value.is_boolean()) refuse("true or false");
  return value.get<bool>();
}

std::string Given::text(const std::string& accepted) const {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) refuse(accepted);
  return value.get<std::string>();
}

std::vector<std::string> Given::texts(const std::string& accepted) const {
  if (!value.is_array()) return {this->text(accepted)};
  std::vector<std::string> texts;
  for (const Json& text : value) texts.push_back(Given{text, field}.text(accepted));
  return texts;
}

std::vector<std::string> Given::names() const {
  constexpr auto kAccepted = "names of columns, each once, e.g. age,income";
  std::vector<std::string> names;
  if (value.is_string()) {
    names = split(value.get_ref<const std::string&>(), ',');
  } else if (value.is_array()) {
    for (const Json& name : value) names.push_back(Given{name, field}.text(kAccepted));
    if (names.empty()) return names;
  } else {
    refuse(kAccepted);
  }
  if (has_empty_or_repeated(names)) refuse(kAccepted);
  return names;
}

Interval Given::interval() const {
  constexpr auto kAccepted = "lo:hi or [lo, hi], two finite numbers with lo < hi, e.g. 18:90";
  std::optional<double> lo;
  std::optional<double> hi;
  std::string written = shown_value(value);
  if (value.is_string()) {
    const std::string_view text = value.get_ref<const std::string&>();
    const std::size_t colon = text.find(':');
    lo = parse_finite(trimmed(text.substr(0, colon)));
    if (colon != std::string_view::npos) hi = parse_finite(trimmed(text.substr(colon + 1)));
  } else if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number()) {
    lo = value[0].get<double>();
    hi = value[1].get<double>();
  }
  if (lo && hi) written = shown(*lo) + ":" + shown(*hi);
  if (!lo || !hi || !std::isfinite(*lo) || !std::isfinite(*hi) || !(*lo < *hi)) {
    throw RequestError(field, written + " is not accepted; accepted: " + kAccepted);
  }
  return {*lo, *hi};
}

Horizon Given::horizon() const {
  if (value.is_string() && value.get_ref<const std::string&>() == "unbounded") return Horizon::unbounded();
  return Horizon::known(positive_whole("\"unbounded\" or a positive whole number of steps up to 18446744073709551615"));
}

char Given::delimiter() const {
  constexpr auto kAccepted = "one character that is no quote and no line end, or \"tab\"";
  const std::string text = this->text(kAccepted);
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n" || text == "\r") refuse(kAccepted);
  return text.front();
}

ClassNames Given::classes() const {
  constexpr auto kAccepted =
      "two different classes, the negative one first, e.g. 0,1 or no,yes; for words with commas 'no|yes, indeed'";
  std::vector<std::string> names;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    names = split(text, text.find('|') == std::string::npos ? ',' : '|');
  } else if (value.is_array()) {
    for (const Json& name : value) {
      if (!name.is_number() && !name.is_string()) Given{name, field}.refuse(kAccepted);
      names.push_back(name.is_number() ? shown(name.get<double>())
                                       : std::string(trimmed(name.get_ref<const std::string&>())));
    }
  } else {
    refuse(kAccepted);
  }
  std::string written;
  for (const std::string& name : names) written += (written.empty() ? "" : ",") + name;
  if (names.size() != 2 || has_empty_or_repeated(names)) Given{Json(written), field}.refuse(kAccepted);
  const ClassNames classes{names[0], names[1]};
  const auto numbers = class_numbers(classes);
  if (numbers && (*numbers)[0] == (*numbers)[1]) Given{Json(written), field}.refuse(kAccepted);
  return classes;
}

std::optional<std::array<double, 2>> class_numbers(const ClassNames& names) {
  const auto negative = parse_finite(names[0]);
  const auto positive = parse_finite(names[1]);
  if (!negative || !positive) return std::nullopt;
  return std::array{*negative, *positive};
}

std::pair<std::string, std::uint64_t> Given::block() const {
  constexpr auto kAccepted = "name:columns, e.g. word:4000 for the columns word1 to word4000";
  const std::string text = this->text(kAccepted);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || trimmed(text.substr(0, colon)).empty()) refuse(kAccepted);
  std::string name(trimmed(std::string_view(text).substr(0, colon)));
  const std::uint64_t columns = Given{Json(text.substr(colon + 1)), field + " " + name}.positive_whole();
  return {std::move(name), columns};
}

void Given::require_table() const {
  if (!value.is_object()) refuse("a table by column: [" + field + "] on a line of its own in TOML");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // A third of the letters wrong is a slip; more is another word. The cap keeps the work small for absurd input.
  constexpr std::size_t kLongest = 100;
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace rivulet::request
