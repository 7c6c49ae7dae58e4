#include "stream/setting_text.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/number_text.h"
#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::stream {
namespace {

[[noreturn]] void refuse(std::string_view field, std::string_view text, const std::string& accepted) {
  throw RequestError(std::string(field), shown(text) + " is not accepted; accepted: " + accepted);
}

bool has_empty_or_repeated(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  return parts.front().empty() || std::adjacent_find(parts.begin(), parts.end()) != parts.end();
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

double parse_number(std::string_view text, std::string_view field) {
  const auto number = parse_finite(trimmed(text));
  if (!number) refuse(field, text, "a finite number, e.g. 1.5");
  return *number;
}

double parse_positive(std::string_view text, std::string_view field) {
  const auto number = parse_finite(trimmed(text));
  if (!number || !(*number > 0.0)) refuse(field, text, "a positive finite number, e.g. 1.5");
  return *number;
}

std::uint64_t parse_positive_whole(std::string_view text, std::string_view field) {
  const std::string_view digits = trimmed(text);
  const char* const end = digits.data() + digits.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number == 0) {
    refuse(field, text, "a positive whole number in plain digits, e.g. 100");
  }
  return number;
}

std::uint64_t parse_whole(std::string_view text, std::string_view field) {
  const char* const end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    refuse(field, text, "a whole number from 0 to 18446744073709551615");
  }
  return number;
}

bool parse_switch(std::string_view text, std::string_view field) {
  if (text == "true") return true;
  if (text == "false") return false;
  refuse(field, text, "true or false");
}

Interval parse_interval(std::string_view text, std::string_view field) {
  const std::size_t colon = text.find(':');
  const auto lo = parse_finite(trimmed(text.substr(0, colon)));
  const auto hi = colon == std::string_view::npos ? std::nullopt : parse_finite(trimmed(text.substr(colon + 1)));
  if (!lo || !hi || !(*lo < *hi)) refuse(field, text, "lo:hi, two finite numbers with lo < hi, e.g. 18:90");
  return {*lo, *hi};
}

std::pair<std::string, Interval> parse_bound(std::string_view text, std::string_view field) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty()) {
    refuse(field, text, "name=lo:hi, e.g. age=18:90");
  }
  std::string name(trimmed(text.substr(0, equals)));
  const Interval bounds = parse_interval(text.substr(equals + 1), std::string(field) + " " + name);
  return {std::move(name), bounds};
}

std::pair<std::string, std::vector<std::string>> parse_levels(std::string_view text, std::string_view field) {
  constexpr auto kAccepted = "name=a|b|c with two or more different levels, e.g. carrier=AA|UA|DL";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty()) refuse(field, text, kAccepted);
  std::vector<std::string> levels = split(text.substr(equals + 1), '|');
  if (levels.size() < 2 || has_empty_or_repeated(levels)) refuse(field, text, kAccepted);
  return {std::string(trimmed(text.substr(0, equals))), std::move(levels)};
}

std::pair<std::string, std::uint64_t> parse_block(std::string_view text, std::string_view field) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || trimmed(text.substr(0, colon)).empty()) {
    refuse(field, text, "name:columns, e.g. word:4000 for the columns word1 to word4000");
  }
  std::string name(trimmed(text.substr(0, colon)));
  const std::uint64_t columns = parse_positive_whole(text.substr(colon + 1), std::string(field) + " " + name);
  return {std::move(name), columns};
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

std::vector<std::string> parse_names(std::string_view text, std::string_view field) {
  std::vector<std::string> names = split(text, ',');
  if (has_empty_or_repeated(names)) refuse(field, text, "names of columns, each once, e.g. age,income");
  return names;
}

char parse_delimiter(std::string_view text, std::string_view field) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n" || text == "\r") {
    refuse(field, text, "one character that is no quote and no line end, or \"tab\"");
  }
  return text.front();
}

TreeDecoding parse_tree_decoding(std::string_view word, std::string_view field) {
  for (const auto decoding : {TreeDecoding::optimal, TreeDecoding::paper}) {
    if (word == to_string(decoding)) return decoding;
  }
  refuse(field, word, "optimal, paper");
}

std::string_view to_string(TreeDecoding decoding) {
  return decoding == TreeDecoding::optimal ? "optimal" : "paper";
}

SketchSize parse_sketch_size(std::string_view text, std::string_view field) {
  if (text == "auto") return {};
  if (text == "paper") return {std::nullopt, SketchRule::paper};
  const char* const end = text.data() + text.size();
  std::uint64_t dimension = 0;
  const auto parsed = std::from_chars(text.data(), end, dimension);
  if (parsed.ec != std::errc{} || parsed.ptr != end || dimension == 0) {
    refuse(field, text, "a number of dimensions, e.g. 400, auto (the one of least predicted error) or paper");
  }
  return {dimension};
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

}  // namespace rivulet::stream
