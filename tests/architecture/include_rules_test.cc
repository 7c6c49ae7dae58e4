#include "architecture/include_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace rivulet::architecture {
namespace {

std::string listed(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  return text;
}

bool flagged(const std::string& path, const std::string& text) {
  return !include_violations({{path, text}}).empty();
}

TEST(IncludeRules, EveryIncludeOfTheProductFollowsTheTable) {
  std::vector<SourceFile> files = read_tree(RIVULET_SOURCE_DIR, "src");
  const std::vector<SourceFile> headers = read_tree(RIVULET_SOURCE_DIR, "include");
  files.insert(files.end(), headers.begin(), headers.end());
  ASSERT_GT(files.size(), 50U);
  const std::vector<std::string> violations = include_violations(files);
  EXPECT_TRUE(violations.empty()) << listed(violations);
}

TEST(IncludeRules, EveryRowOfTheTableIsAFolder) {
  for (const auto& [folder, allowed] : allowed_includes()) {
    EXPECT_TRUE(std::filesystem::is_directory(std::string(RIVULET_SOURCE_DIR) + "/src/" + folder)) << folder;
    for (const std::string& other : allowed)
      EXPECT_TRUE(allowed_includes().contains(other)) << folder << " -> " << other;
  }
}

TEST(IncludeRules, EveryEdgeOfTheTableIsUsed) {
  const std::vector<std::string> unused = unused_edges(read_tree(RIVULET_SOURCE_DIR, "src"));
  EXPECT_TRUE(unused.empty()) << listed(unused);
}

TEST(IncludeRules, AnEdgeThatNobodyUsesIsNoticed) {
  const std::size_t all = unused_edges({}).size();
  EXPECT_GT(all, 30U);
  EXPECT_EQ(unused_edges({{"src/strategy/x.cc", "#include \"wall/noisy_step.h\"\n"}}).size(), all - 1);
  EXPECT_EQ(unused_edges({{"src/strategy/x.cc", "// #include \"wall/noisy_step.h\"\n"}}).size(), all);
  EXPECT_EQ(unused_edges({{"tests/strategy/x.cc", "#include \"wall/noisy_step.h\"\n"}}).size(), all);
}

TEST(IncludeRules, OnlyTheWiringAndTheAuditMayIncludeTheKernel) {
  for (const auto& [folder, allowed] : allowed_includes()) {
    EXPECT_EQ(allowed.contains("kernel"), folder == "regression" || folder == "audit") << folder;
  }
}

// Solving over the matrix's image is post-processing: the kernel needs the matrix alone.
TEST(IncludeRules, OfTheSketchTheKernelKnowsTheMatrixOnly) {
  const std::regex of_sketch(R"re(#include "sketch/([a-z_]+)\.h")re");
  std::set<std::string> found;
  for (const SourceFile& file : read_tree(RIVULET_SOURCE_DIR, "src/kernel")) {
    for (std::sregex_iterator match(file.text.begin(), file.text.end(), of_sketch); match != std::sregex_iterator();
         ++match) {
      found.insert((*match)[1]);
    }
  }
  EXPECT_EQ(found, std::set<std::string>{"embedding"});
}

// It looks at what leaves the kernel with rows of its own making, and has no way to come by any others.
TEST(IncludeRules, TheAuditReadsNoRows) {
  for (const char* folder : {"input", "request", "store", "log"})
    EXPECT_FALSE(allowed_includes().at("audit").contains(folder));
}

TEST(IncludeRules, TheTableHasNoCycle) {
  // Folders whose dependencies are all placed can be placed; a cycle leaves some that never can.
  std::set<std::string> placed;
  for (std::size_t round = 0; round < allowed_includes().size(); ++round) {
    for (const auto& [folder, allowed] : allowed_includes()) {
      if (std::all_of(allowed.begin(), allowed.end(),
                      [&](const std::string& other) { return placed.contains(other); })) {
        placed.insert(folder);
      }
    }
  }
  EXPECT_EQ(placed.size(), allowed_includes().size());
}

TEST(IncludeRules, WhatTheTableAllowsPasses) {
  EXPECT_FALSE(
      flagged("src/strategy/x.cc", "#include \"strategy/x.h\"\n#include <vector>\n#include \"wall/noisy_step.h\"\n"));
  EXPECT_FALSE(flagged("src/kernel/x.cc", "#include <openssl/evp.h>\n#include \"rivulet/error.h\"\n"));
  EXPECT_FALSE(flagged("src/strategy/x.cc", "// #include \"kernel/kernel.h\"\n/*\n#include \"kernel/kernel.h\"\n*/\n"));
  EXPECT_FALSE(flagged("include/rivulet/x.h", "#include <string_view>\n#include \"rivulet/model.h\"\n"));
}

TEST(IncludeRules, AnIncludeOfTheKernelIsFlaggedHoweverItIsWritten) {
  for (const char* line :
       {"#include \"kernel/kernel.h\"", "#include <kernel/kernel.h>", "  #  include\t\"kernel/noise_source.h\"",
        "#include \"../kernel/kernel.h\"", "#include \"./../kernel/kernel.h\"", "#include HEADER",
        "#include \"src/kernel/kernel.h\"", "#include \\\n\"kernel/kernel.h\"",
        "#include /* why not */ \"kernel/kernel.h\"", "%:include \"kernel/kernel.h\"", "#import \"kernel/kernel.h\""}) {
    EXPECT_TRUE(flagged("src/strategy/x.cc", std::string(line) + "\n")) << line;
  }
}

TEST(IncludeRules, EveryFolderNotInARowIsFlagged) {
  for (const auto& [folder, allowed] : allowed_includes()) {
    for (const auto& [other, unused] : allowed_includes()) {
      const bool expected = folder != other && !allowed.contains(other);
      EXPECT_EQ(flagged("src/" + folder + "/x.h", "#include \"" + other + "/y.h\"\n"), expected)
          << folder << " -> " << other;
    }
  }
}

TEST(IncludeRules, AFolderWithoutARowIsFlaggedEvenIfItIncludesNothing) {
  EXPECT_TRUE(flagged("src/shortcut/x.h", ""));
  EXPECT_TRUE(flagged("src/x.h", ""));
  EXPECT_TRUE(flagged("include/x.h", ""));
}

TEST(IncludeRules, TheProductIncludesNoExperimentAndNoTest) {
  EXPECT_TRUE(flagged("src/fit/x.cc", "#include \"experiments/not_private.h\"\n"));
  EXPECT_TRUE(flagged("src/fit/x.cc", "#include <experiments/not_private.h>\n"));
  EXPECT_TRUE(flagged("src/fit/x.cc", "#include <not_private/exact_least_squares.h>\n"));
  EXPECT_TRUE(flagged("src/kernel/x.cc", "#include \"support/zero_noise.h\"\n"));
  EXPECT_TRUE(flagged("src/kernel/x.cc", "#include \"tests/support/zero_noise.h\"\n"));
}

TEST(IncludeRules, APublicHeaderThatNeedsAnythingElseIsFlagged) {
  for (const char* target :
       {"\"base/int128.h\"", "<Eigen/Core>", "<mpfr.h>", "\"kernel/kernel.h\"", "\"model.h\"", "<fmt/format.h>"}) {
    EXPECT_TRUE(flagged("include/rivulet/x.h", std::string("#include ") + target + "\n")) << target;
  }
}

}  // namespace
}  // namespace rivulet::architecture
