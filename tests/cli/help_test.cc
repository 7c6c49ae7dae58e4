#include <gtest/gtest.h>

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
                           "-q,--quiet",
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
            {"MODEL", "[FILE]", "--at STEP", "--level P", "--delimiter CHAR", "--format WORD", "-q,--quiet", "--score",
             "--json", "NOT private"}},
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

}  // namespace
}  // namespace rivulet::cli_testing
