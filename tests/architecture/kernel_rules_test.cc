#include "architecture/kernel_rules.h"

#include <gtest/gtest.h>

namespace rivulet::architecture {
namespace {

bool flagged(const std::string& path, const std::string& line) {
  return !kernel_violations({{path, "#include \"kernel/inside.h\"\n" + line + "\n"}}).empty();
}

TEST(KernelRules, TheKernelAndTheWallObeyThem) {
  std::vector<SourceFile> files = read_tree(RIVULET_SOURCE_DIR, "src/kernel");
  ASSERT_GT(files.size(), 15U);
  const std::vector<SourceFile> wall = read_tree(RIVULET_SOURCE_DIR, "src/wall");
  ASSERT_FALSE(wall.empty());
  files.insert(files.end(), wall.begin(), wall.end());
  for (const std::string& violation : kernel_violations(files)) ADD_FAILURE() << violation;
}

TEST(KernelRules, ANewKernelHeaderWithoutTheGuardIsFlagged) {
  EXPECT_FALSE(kernel_violations({{"src/kernel/feature_map.h", "#pragma once\n"}}).empty());
  EXPECT_FALSE(
      kernel_violations({{"src/kernel/feature_map.h", "#pragma once\n// #include \"kernel/inside.h\"\n"}}).empty());
  EXPECT_TRUE(
      kernel_violations({{"src/kernel/feature_map.h", "#pragma once\n#include \"kernel/inside.h\"\n"}}).empty());
}

TEST(KernelRules, FloatingPointOutsideItsFilesIsFlagged) {
  EXPECT_TRUE(flagged("src/wall/noisy_step.h", "std::vector<double> values;"));
  EXPECT_TRUE(flagged("src/kernel/random_bits.cc", "float share = 0;"));
  EXPECT_TRUE(flagged("src/kernel/feature_map.cc", "auto x = 0.5;"));
  EXPECT_TRUE(flagged("src/kernel/kernel.cc", "scratch_[0] *= 0.5;"));
  EXPECT_TRUE(flagged("src/kernel/kernel.cc", "scratch_[0] = std::sqrt(scratch_[0]);"));
  EXPECT_TRUE(flagged("src/kernel/encoder.cc", "const double mean = static_cast<double>(sums[0]);"));
}

TEST(KernelRules, FloatingPointInItsFilesPasses) {
  EXPECT_FALSE(flagged("src/kernel/row_lattice.cc", "const double norm = std::sqrt(x * 0x1p-33);"));
  EXPECT_FALSE(flagged("src/kernel/encoder.cc", "noise.add(values, sigma * static_cast<double>(widening));"));
  EXPECT_FALSE(flagged("src/kernel/kernel.h", "void observe(std::span<const double> values, double target);"));
  EXPECT_FALSE(flagged("src/kernel/random_bits.cc", "// twice as fast as 0.5 double"));
  EXPECT_FALSE(flagged("src/kernel/random_bits.cc", "position_ += 1'000'000; throw Error(\"double fault, 1.5\");"));
}

TEST(KernelRules, OutputFromTheKernelIsFlagged) {
  for (const char* line :
       {"std::cerr << values[0];", "printf(\"%f\", x);", "std::fprintf(stderr, \"x\");", "fmt::print(\"{}\", x);",
        "spdlog::info(\"row\");", "std::ofstream file(\"rows\");", "::write(2, buffer, 8);", "std::puts(\"x\");",
        "#include <iostream>", "#include <fstream>", "#include <cstdio>", "#include <fmt/core.h>",
        "#include <spdlog/spdlog.h>", "  # include <ostream>", "mpfr_printf(\"%Rf\", x);", "syslog(1, \"x\");",
        "std::snprintf(text, 8, \"%f\", x);", "const auto text = std::format(\"{}\", x);"}) {
    EXPECT_TRUE(flagged("src/kernel/row_lattice.cc", line)) << line;
  }
  EXPECT_FALSE(flagged("src/kernel/moment_sum.cc", "current_.sum_.write(layout, sums_);  // printf would be a leak"));
}

}  // namespace
}  // namespace rivulet::architecture
