// Exact sums leave the kernel for two places: the sensitive half of a model file, and the bytes of a batch on its way
// to another process of the operator. Who may know of them is decided by who includes a few headers and who bears or
// calls a few names.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "architecture/source_text.h"

namespace rivulet::architecture {
namespace {

// Headers that show sensitive state, and the folders of src/ that may include them.
const std::map<std::string, std::set<std::string>>& readers() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"wall/sensitive_state.h", {"wall", "kernel", "regression", "store"}},
      {"regression/regression_state.h", {"regression", "store"}},
      {"store/sensitive_half.h", {"store"}},
  };
  return table;
}

// "" for the public headers.
std::string folder_of(const std::string& path) {
  static const std::regex place("src/([^/]+)/.*");
  std::smatch match;
  return std::regex_match(path, match, place) ? match.str(1) : "";
}

std::string sensitive_objection(const SourceFile& file) {
  const std::string folder = folder_of(file.path);
  const std::string code = without_comments(file.text);
  for (const auto& [header, folders] : readers()) {
    if (code.find(header) != std::string::npos && !folders.contains(folder)) return "includes " + header;
  }
  // The class that wall/sensitive_state.h lets in: whoever defined another of the name could read everything.
  if (folder != "store" && folder != "wall" && std::regex_search(code, std::regex("\\bSensitiveHalf\\b"))) {
    return "bears the name that opens sensitive state";
  }
  // A batch's bytes are sums without noise. The library offers them to its callers; nothing of ours sends any.
  static const std::set<std::string> transport = {
      "include/rivulet/row_batch.h", "include/rivulet/incremental_regression.h", "include/rivulet/durable_regression.h",
      "src/wall/sensitive_state.h",  "src/regression/incremental_regression.cc", "src/store/durable_regression.cc"};
  if (!transport.contains(file.path) && std::regex_search(code, std::regex("SensitiveBatchBytes|_trusted_transport"))) {
    return "handles a batch's unprotected bytes";
  }
  if (folder != "wall" && std::regex_search(code, std::regex("friend\\b[^;]*\\bSensitive(Bytes|UnitCount|State)\\b"))) {
    return "befriends sensitive state";
  }
  return "";
}

TEST(SensitiveRules, NobodyButTheKernelItsWiringAndTheStoreKnowsOfExactSums) {
  std::vector<SourceFile> files = read_tree(RIVULET_SOURCE_DIR, "src");
  const std::vector<SourceFile> headers = read_tree(RIVULET_SOURCE_DIR, "include");
  files.insert(files.end(), headers.begin(), headers.end());
  ASSERT_GT(files.size(), 50U);
  for (const SourceFile& file : files) EXPECT_EQ(sensitive_objection(file), "") << file.path;
}

TEST(SensitiveRules, TheWallLetsInTheKernelsTheUnitCapTheSensitiveHalfAndBatchesAlone) {
  const std::string text = without_comments(read_file(RIVULET_SOURCE_DIR "/src/wall/sensitive_state.h"));
  const std::regex friends("friend\\s+([^;]*);");
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), friends); match != std::sregex_iterator(); ++match) {
    found.insert((*match)[1]);
  }
  EXPECT_EQ(found, (std::set<std::string>{"class kernel::HistoryKernel", "class kernel::Kernel",
                                          "class kernel::RowBatch", "class kernel::UnitCap",
                                          "class rivulet::SensitiveBatchBytes", "class store::SensitiveHalf"}));
}

TEST(SensitiveRules, ABreachIsNoticed) {
  EXPECT_NE(sensitive_objection({"src/cli/x.cc", "#include \"wall/sensitive_state.h\"\n"}), "");
  EXPECT_NE(sensitive_objection({"src/log/x.cc", "#include \"regression/regression_state.h\"\n"}), "");
  EXPECT_NE(sensitive_objection({"include/rivulet/x.h", "#include \"wall/sensitive_state.h\"\n"}), "");
  EXPECT_NE(sensitive_objection({"src/cli/x.cc", "namespace rivulet::store { class SensitiveHalf {}; }\n"}), "");
  EXPECT_NE(sensitive_objection({"src/kernel/x.h", "class SensitiveHalf;\n"}), "");
  EXPECT_NE(sensitive_objection({"src/fit/x.h", "friend class rivulet::SensitiveBytes;\n"}), "");
  EXPECT_NE(sensitive_objection({"src/cli/x.cc", "send(batch.bytes_for_trusted_transport().view());\n"}), "");
  EXPECT_NE(sensitive_objection({"src/log/x.cc", "class SensitiveBatchBytes {};\n"}), "");
  EXPECT_EQ(sensitive_objection({"src/store/x.cc", "#include \"store/sensitive_half.h\"\n"}), "");
  EXPECT_EQ(sensitive_objection({"src/cli/x.cc", "// not wall/sensitive_state.h\n"}), "");
}

}  // namespace
}  // namespace rivulet::architecture
