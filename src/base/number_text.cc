
#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace rivulet {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the unsigned decimal `text`, already known to be a number outside the range of doubles, is tiny and not huge:
// the decimal exponent of its first digit that is not 0 decides.
bool is_tiny(std::string_view text) {
  const std::size_t exponent_mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_mark);
  std::string_view exponent_text = text.substr(std::min(exponent_mark + 1, text.size()));
  const bool negative_exponent = !exponent_text.empty() && exponent_text.front() == '-';

  long long exponent = 0;
  if (!exponent_text.empty() && !is_digit(exponent_text.front())) exponent_text.remove_prefix(1);
  const auto parsed = std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  // An exponent beyond 64 bits outweighs any mantissa that fits in memory.
  if (parsed.ec == std::errc::result_out_of_range) return negative_exponent;
  if (negative_exponent) exponent = -exponent;

  const auto point = static_cast<long long>(std::min(mantissa.find('.'), mantissa.size()));
  const auto leading = static_cast<long long>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  const long long shift = point - leading;
  // Far from either end of the range of long long the sum cannot overflow; near it the exponent alone decides.
  constexpr long long kDecisive = 1LL << 60;
  if (exponent > kDecisive || exponent < -kDecisive) return negative_exponent;
  return exponent + shift < 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_finite(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ptr != end) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    const bool negative = text.front() == '-';
    if (!is_tiny(text.substr(negative ? 1 : 0))) return std::nullopt;
    return negative ? -0.0 : 0.0;
  }
  if (parsed.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool means_missing(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords{"", "NA", "N/A", "NaN", "nan", "null", "NULL"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

std::string shown(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += control ? '?' : c;
  }
  return result + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace rivulet
