// Sources as text, for rules about what a file may say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rivulet::architecture {

struct SourceFile {
  std::string path;  // from the repository's root, e.g. "src/base/model.cc"
  std::string text;
};

std::string read_file(const std::string& path);

// Every file below `folder` (itself relative to `root`), sorted by path.
std::vector<SourceFile> read_tree(const std::string& root, const std::string& folder);

// C++ text with comments turned into blanks; line breaks stay, continued lines are joined.
std::string without_comments(std::string_view text);
// Also without the insides of string and character literals, and without include lines.
std::string code_only(std::string_view text);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace rivulet::architecture
