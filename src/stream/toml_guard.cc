#include "stream/toml_guard.h"

#include <algorithm>
#include <cstddef>

#include "rivulet/error.h"

namespace rivulet::stream {
namespace {

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

}  // namespace

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

}  // namespace rivulet::stream
