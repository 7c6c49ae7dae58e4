// RIVULET_INSIDE_THE_WALL opens the headers that know what a row is. Who gets it is decided in CMake files alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "architecture/source_text.h"

namespace rivulet::architecture {
namespace {

// The audit feeds the kernel, with rows of its own making (include_rules_test.cc).
bool is_trusted(const std::string& path) {
  return path.starts_with("src/kernel/") || path.starts_with("src/regression/") || path.starts_with("src/audit/");
}

std::string without_cmake_comments(const std::string& text) {
  return std::regex_replace(text, std::regex("#[^\\n]*"), "");
}

// Why a CMake file of src/ may not say what it says; empty when it may.
std::string cmake_objection(const SourceFile& file) {
  const std::string code = without_cmake_comments(file.text);
  if (std::regex_search(code, std::regex("not_private|experiments"))) return "makes the product use an experiment";
  if (is_trusted(file.path)) return "";
  if (code.find("INSIDE_THE_WALL") != std::string::npos) return "lets a folder behind the wall inside";
  if (std::regex_search(code, std::regex("\\b(rivulet_)?kernel\\b")))
    return "makes a folder behind the wall use the kernel";
  return "";
}

TEST(CMakeRules, OnlyTheKernelItsWiringAndTheAuditAreInsideTheWall) {
  std::size_t checked = 0;
  for (const SourceFile& file : read_tree(RIVULET_SOURCE_DIR, "src")) {
    if (!file.path.ends_with("CMakeLists.txt") && !file.path.ends_with(".cmake")) continue;
    ++checked;
    EXPECT_EQ(cmake_objection(file), "") << file.path;
  }
  EXPECT_GE(checked, 11U);
}

TEST(CMakeRules, AFolderThatIsLetInIsNoticed) {
  EXPECT_NE(cmake_objection({"src/strategy/CMakeLists.txt", "rivulet_module(strategy INSIDE_THE_WALL SOURCES a.cc)"}),
            "");
  EXPECT_NE(
      cmake_objection({"src/fit/CMakeLists.txt", "target_compile_definitions(x PRIVATE RIVULET_INSIDE_THE_WALL)"}), "");
  EXPECT_NE(cmake_objection({"src/fit/CMakeLists.txt", "rivulet_module(fit SOURCES a.cc DEPENDS strategy kernel)"}),
            "");
  EXPECT_NE(cmake_objection({"src/cli/CMakeLists.txt", "target_link_libraries(rivulet PRIVATE rivulet_kernel)"}), "");
  EXPECT_NE(cmake_objection({"src/kernel/CMakeLists.txt", "target_link_libraries(x PRIVATE rivulet_not_private)"}), "");
  EXPECT_EQ(cmake_objection({"src/fit/CMakeLists.txt", "# not the kernel\nrivulet_module(fit SOURCES a.cc)"}), "");
}

TEST(CMakeRules, NoSourceOpensTheWallForItself) {
  const std::regex opens("#\\s*(define|undef)\\s+RIVULET_INSIDE_THE_WALL");
  std::vector<SourceFile> files = read_tree(RIVULET_SOURCE_DIR, "src");
  const std::vector<SourceFile> headers = read_tree(RIVULET_SOURCE_DIR, "include");
  files.insert(files.end(), headers.begin(), headers.end());
  for (const SourceFile& file : files) EXPECT_FALSE(std::regex_search(file.text, opens)) << file.path;
}

// What the compiler is really told, whichever CMake file said it.
TEST(CMakeRules, TheCompilerGetsTheMacroForTheKernelItsWiringTheAuditTestsAndBenchmarksOnly) {
  const std::regex compile(R"re(\s*"command": "(.*) -c ([^ "]+)",?)re");
  std::size_t commands = 0;
  std::size_t inside = 0;
  for (const std::string& line : lines_of(read_file(RIVULET_BINARY_DIR "/compile_commands.json"))) {
    std::smatch match;
    if (!std::regex_match(line, match, compile)) continue;
    ++commands;
    if (match.str(1).find("RIVULET_INSIDE_THE_WALL") == std::string::npos) continue;
    ++inside;
    const std::string path =
        std::filesystem::path(match.str(2)).lexically_relative(RIVULET_SOURCE_DIR).generic_string();
    EXPECT_TRUE(is_trusted(path) || path.starts_with("tests/") || path.starts_with("bench/")) << path;
  }
  EXPECT_GT(commands, 50U);
  EXPECT_GE(inside, 10U);  // the kernel's files, at least: the pattern does find the macro
}

}  // namespace
}  // namespace rivulet::architecture
