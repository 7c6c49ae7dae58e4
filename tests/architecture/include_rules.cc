#include "architecture/include_rules.h"

#include <regex>

namespace rivulet::architecture {
namespace {

struct Include {
  std::string target;  // empty when a macro computes it
  bool quoted = false;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex directive(R"(^\s*(#|%:)\s*(include|include_next|import)\b\s*(.*)$)");
  static const std::regex named(R"re((["<])([^">]+)[">].*)re");
  std::vector<Include> found;
  std::smatch match;
  for (const std::string& line : lines_of(without_comments(text))) {
    if (!std::regex_match(line, match, directive)) continue;
    const std::string rest = match[3];
    Include include;
    if (std::regex_match(rest, match, named)) include = {match[2], match[1] == "\""};
    found.push_back(include);
  }
  return found;
}

std::string first_part(const std::string& path) {
  return path.substr(0, path.find('/'));
}

// The standard library's headers have neither a folder nor an extension.
bool is_standard(const Include& include) {
  static const std::regex plain("[a-z0-9_]+");
  return !include.quoted && std::regex_match(include.target, plain);
}

// Why `include` may not stand in a file of `folder` ("" for the public headers); empty when it may.
std::string objection(const std::string& folder, const Include& include) {
  static const std::set<std::string> never = {"src",  "include", "tests", "experiments", "bench",
                                              "fuzz", "python",  "build", "not_private", "support"};
  if (include.target.empty()) return "an include computed by a macro cannot be checked";
  if (include.target.find("..") != std::string::npos || include.target.front() == '/') {
    return "name headers from src/ or include/, not by a path through the tree";
  }
  const std::string part = first_part(include.target);
  const bool has_folder = part != include.target;
  if (has_folder && part == "rivulet") return "";
  if (has_folder && never.contains(part)) return "the product includes nothing from " + part + "/";
  if (folder.empty()) {
    return is_standard(include) ? "" : "public headers include public headers and the standard library only";
  }
  if (has_folder && allowed_includes().contains(part)) {
    const bool allowed = part == folder || allowed_includes().at(folder).contains(part);
    return allowed ? "" : folder + "/ may not include " + part + "/";
  }
  return include.quoted ? "a quoted include names a folder of src/ or rivulet/" : "";
}

}  // namespace

const std::map<std::string, std::set<std::string>>& allowed_includes() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"base", {}},
      {"wall", {"base"}},
      {"strategy", {"base", "wall"}},
      {"privacy", {"base", "strategy"}},
      {"sketch", {"base", "geometry", "solve"}},
      {"kernel", {"base", "loss", "strategy", "privacy", "wall", "sketch"}},
      {"geometry", {"base"}},
      {"loss", {"base"}},
      {"solve", {"base"}},
      {"erm", {"base", "loss", "privacy"}},
      {"request", {"base", "privacy"}},
      {"fit", {"base", "privacy", "erm", "request", "sketch", "solve", "strategy"}},
      {"plan", {"base", "erm", "fit", "privacy", "request", "strategy"}},
      {"infer", {"base"}},
      {"regression", {"base", "kernel", "erm", "fit", "strategy", "wall"}},
      {"log", {"base", "fit", "request"}},
      {"store", {"base", "fit", "log", "regression", "wall"}},
      {"input", {"base"}},
      {"audit", {"base", "strategy", "privacy", "kernel", "wall"}},
      {"cli", {"audit", "base", "erm", "fit", "input", "plan", "privacy", "request"}},
  };
  return table;
}

std::vector<std::string> include_violations(const std::vector<SourceFile>& files) {
  static const std::regex place(R"((include/rivulet|src/([^/]+))/.*)");
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    std::smatch match;
    if (!std::regex_match(file.path, match, place)) {
      violations.push_back(file.path + ": stands in no folder of src/ or include/rivulet/");
      continue;
    }
    const std::string folder = match[2];
    if (!folder.empty() && !allowed_includes().contains(folder)) {
      violations.push_back(file.path + ": folder " + folder + "/ has no row in allowed_includes()");
      continue;
    }
    for (const Include& include : includes_of(file.text)) {
      const std::string why = objection(folder, include);
      if (!why.empty()) violations.push_back(file.path + ": includes \"" + include.target + "\": " + why);
    }
  }
  return violations;
}

std::vector<std::string> unused_edges(const std::vector<SourceFile>& files) {
  static const std::regex place(R"(src/([^/]+)/.*)");
  std::map<std::string, std::set<std::string>> unused = allowed_includes();
  for (const SourceFile& file : files) {
    std::smatch match;
    if (!std::regex_match(file.path, match, place)) continue;
    const auto row = unused.find(match[1]);
    if (row == unused.end()) continue;
    for (const Include& include : includes_of(file.text)) row->second.erase(first_part(include.target));
  }
  std::vector<std::string> sentences;
  for (const auto& [folder, others] : unused) {
    for (const std::string& other : others) sentences.push_back(folder + "/ never includes " + other + "/");
  }
  return sentences;
}

}  // namespace rivulet::architecture
