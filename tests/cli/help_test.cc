#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/run_process.h"
#include "rivulet/version.h"

namespace rivulet::cli_testing {
namespace {

std::string help_of(const Arguments& arguments) {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Help, TheTopLevelShowsEachCommandInOneLine) {
  const std::string help = help_of({"--help"});
  EXPECT_TRUE(holds(help, "Usage: rivulet [OPTIONS] COMMAND"));
  EXPECT_TRUE(holds(help, "\n  fit  "));
  EXPECT_TRUE(holds(help, "\n  plan  "));
  EXPECT_TRUE(holds(help, "Exit codes: 0 done"));
  EXPECT_TRUE(lacks(help, "--epsilon"));
  EXPECT_EQ(help_of({"-h"}), help);
}

TEST(Help, OfFitNamesEveryFlagItsKeysAndExitCodes) {
  const std::string help = help_of({"fit", "--help"});
  for (const char* part : {"Usage: rivulet fit [OPTIONS] [FILE]",
                           "--config FILE.toml",
                           "--target NAME",
                           "--features A,B,C",
                           "--bound NAME=LO:HI",
                           "--levels 'NAME=A|B|C'",
                           "--no-intercept",
                           "--clip-norm R",
                           "--delimiter CHAR",
                           "--format WORD",
                           "--block NAME:COLUMNS",
                           "--dimension D",
                           "--mechanism WORD",
                           "Losses other than least squares:",
                           "--loss KIND",
                           "--classes NEG,POS",
                           "--margin M",
                           "--tau N",
                           "--tau-rule WORD",
                           "--method WORD",
                           "--iterations N",
                           "--batches N",
                           "--ridge NU",
                           "--late-weight A",
                           "--average",
                           "--no-average",
                           "All but squared imply --mechanism erm",
                           "--sketch M|auto|paper",
                           "--row-set KIND",
                           "--embedding WORD",
                           "--column-weight S",
                           "--sketch-seed N",
                           "--epsilon E",
                           "--delta D",
                           "--neighbours WORD",
                           "--horizon N|unbounded",
                           "--profile WORD",
                           "--release-every N",
                           "--strategy WORD",
                           "--buffers K",
                           "--tree-decoding WORD",
                           "--constraint KIND:R",
                           "--releases FILE",
                           "\n  --quiet ",
                           "--insecure-seed SEED",
                           "--only-if CONDITION",
                           "--unit COLUMN",
                           "--max-rows-per-unit K",
                           "--model FILE",
                           "--next-input",
                           "--whole-steps",
                           "--seen STEP:CHAIN",
                           "EXAMPLES",
                           "CONFIGURATION FILE",
                           "EXIT CODES"}) {
    EXPECT_TRUE(holds(help, part));
  }
}

TEST(Help, OfPlanNamesItsJsonKeys) {
  const std::string help = help_of({"plan", "--help"});
  for (const char* part : {"Usage: rivulet plan [OPTIONS]", "-d,--dim D", "--at T", "--json", "prefix_stddev_factor",
                           "l2_sensitivity", "--sketch M|auto|paper", "--row-set KIND", "trade_off", "--loss KIND",
                           "--mechanism WORD", "theorem_3_1_bound"}) {
    EXPECT_TRUE(holds(help, part));
  }
}

TEST(Help, OfTheCommandsThatReadAModelNamesTheirFlags) {
  for (const auto& [command, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"summary", {"MODEL", "--at STEP", "--level P", "--top N", "--json"}},
           {"predict",
            {"MODEL", "[FILE]", "--at STEP", "--level P", "--delimiter CHAR", "--format WORD", "-q,--quiet",
             "--score", "--json", "NOT private"}},
           {"refit",
            {"MODEL", "--constraint KIND:R", "--features A,B,...", "--regularise RULE", "--solver WORD", "--at STEP",
             "--all", "--json", "--level P"}},
           {"export", {"MODEL", "FILE"}},
           {"inspect", {"MODEL", "--json"}}}) {
    const std::string help = help_of({command, "--help"});
    EXPECT_TRUE(holds(help, "Usage: rivulet " + command));
    EXPECT_TRUE(holds(help, "EXAMPLES"));
    for (const std::string& part : parts) EXPECT_TRUE(holds(help, part)) << command;
  }
}

TEST(Help, FitsAHundredColumnsWithoutRaggedBlanks) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"fit", "--help"}, Arguments{"plan", "--help"}, Arguments{"summary", "--help"},
        Arguments{"predict", "--help"}, Arguments{"refit", "--help"}, Arguments{"export", "--help"},
        Arguments{"inspect", "--help"}, Arguments{"audit", "--help"}}) {
    const std::string help = help_of(arguments);
    EXPECT_TRUE(lacks(help, "\n\n\n"));
    EXPECT_TRUE(lacks(help, "TEXT"));
    std::istringstream stream(help);
    for (std::string line; std::getline(stream, line);) {
      EXPECT_LE(line.size(), 102u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(Help, VersionIsOneLine) {
  EXPECT_EQ(help_of({"--version"}), std::string("rivulet ") + kVersion + "\n");
}

TEST(Help, ThatCannotBeWrittenIsAFailureAndAReaderWhoLeavesIsNot) {
  const Outcome full = run({"fit", "--help"}, Wiring().with_out(Stream::file("/dev/full")));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(full.err, "rivulet: standard output: cannot be written: No space left on device\n");
  Process left({"fit", "--help"});
  left.close_output();
  EXPECT_EQ(left.finish().exit_code, 0);
}

TEST(Help, TheReferenceInTheDocsIsWhatTheToolPrints) {
  std::ifstream page(RIVULET_SOURCE_DIR "/docs/cli.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::string reference = help_of({"settings"});
  EXPECT_NE(text.find(reference.substr(0, reference.size() - 1)), std::string::npos)
      << "docs/cli.md, \"Every setting\": put what rivulet settings prints there";
  const auto list = nlohmann::json::parse(help_of({"settings", "--json"}));
  EXPECT_GT(list.size(), 40U);
  const std::string help = help_of({"fit", "--help"});
  for (const auto& setting : list) {
    const auto flag = setting.at("flag").get<std::string>();
    EXPECT_TRUE(holds(help, flag.substr(0, flag.find_first_of(", "))));
  }
}

TEST(Help, TheCompletionScriptIsBashAndKnowsTheFlags) {
  const std::string script = help_of({"settings", "--completion"});
  for (const char* part : {"--release-every", "--from-row", "inspect)", "complete -o filenames -F _rivulet rivulet"}) {
    EXPECT_TRUE(holds(script, part));
  }
  // Asked by bash itself: what begins with --max-r?
  const std::string file = ::testing::TempDir() + "rivulet_completion.sh";
  std::ofstream(file) << script
                      << "COMP_WORDS=(rivulet fit --max-r); COMP_CWORD=2; _rivulet; echo \"${COMPREPLY[*]}\"\n";
  std::FILE* bash = ::popen(("bash " + file).c_str(), "r");
  ASSERT_NE(bash, nullptr);
  std::array<char, 100> line{};
  EXPECT_NE(std::fgets(line.data(), static_cast<int>(line.size()), bash), nullptr);
  EXPECT_EQ(::pclose(bash), 0);
  EXPECT_STREQ(line.data(), "--max-rows-per-unit\n");
}

}  // namespace
}  // namespace rivulet::cli_testing
