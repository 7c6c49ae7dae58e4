// A command line that is shown to be typed.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace rivulet::cli {

// As one word of a shell, quoted where it has to be.
inline std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./+,:@%=-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace rivulet::cli
