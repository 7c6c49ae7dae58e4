#include "architecture/source_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace rivulet::architecture {
namespace {

std::string joined_lines(std::string_view text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else {
      joined += text[i];
    }
  }
  return joined;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Copies `text`, blanking comments and, if asked, the insides of literals.
std::string blanked(const std::string& text, bool blank_literals) {
  std::string out;
  std::size_t i = 0;
  const auto copy_until = [&](std::size_t end, bool blank) {
    for (; i < std::min(end, text.size()); ++i) out += blank && text[i] != '\n' ? ' ' : text[i];
  };
  while (i < text.size()) {
    const char c = text[i];
    const char previous = i > 0 ? text[i - 1] : ' ';
    if (text.compare(i, 2, "//") == 0) {
      copy_until(text.find('\n', i), true);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      copy_until(end == std::string::npos ? end : end + 2, true);
    } else if (c == '"' && previous == 'R') {
      const std::size_t open = text.find('(', i);
      if (open == std::string::npos) throw std::runtime_error("a raw string that never opens");
      const std::string closing = ")" + text.substr(i + 1, open - i - 1) + "\"";
      const std::size_t end = text.find(closing, open);
      copy_until(open + 1, false);
      copy_until(end, blank_literals);
      copy_until(end == std::string::npos ? end : end + closing.size(), false);
    } else if (c == '"' || (c == '\'' && !is_word(previous))) {  // 1'000 is a number
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      copy_until(i + 1, false);
      copy_until(end, blank_literals);
      copy_until(end + 1, false);
    } else {
      copy_until(i + 1, false);
    }
  }
  return out;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> read_tree(const std::string& root, const std::string& folder) {
  std::vector<SourceFile> files;
  const std::filesystem::path base(root);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(base / folder)) {
    if (!entry.is_regular_file()) continue;
    files.push_back({entry.path().lexically_relative(base).generic_string(), read_file(entry.path().string())});
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string without_comments(std::string_view text) {
  return blanked(joined_lines(text), false);
}

std::string code_only(std::string_view text) {
  static const std::regex include_line(R"((^|\n)[ \t]*#[ \t]*include[^\n]*)");
  return std::regex_replace(blanked(joined_lines(text), true), include_line, "$1");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace rivulet::architecture
