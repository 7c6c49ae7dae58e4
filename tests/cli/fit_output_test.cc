// What a successful `rivulet fit` prints and writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

class FitOutput : public FitTest {};

const char* const kNotPrivate = "NOT PRIVATE";

TEST_F(FitOutput, ATableAndThePromiseGoToStandardOutput) {
  const Outcome outcome = run(fit_flags().without("--insecure-seed").fit(), csv(100));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 100 rows (release 10)"));
  for (const char* name : {"(intercept)", "\n  x ", "\n  z ", "kind=b", "kind=c"}) {
    EXPECT_TRUE(holds(outcome.out, name));
  }
  EXPECT_TRUE(holds(outcome.out, "all 10 releases together are (1, 1e-06)-differentially private for every row"));
  EXPECT_TRUE(holds(outcome.out, "a factor of at most 2.718, but for an event of probability 1e-06."));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(FitOutput, TheBudgetIsNeverRoundedInPrint) {
  const Flags flags =
      fit_flags().without("--insecure-seed").with("--epsilon", "0.123456789").with("--delta", "1.23456789e-7");
  const Outcome outcome = run(flags.with("--releases", path("r")).fit(), csv(10));
  EXPECT_TRUE(holds(outcome.out, "(0.123456789, 1.23456789e-07)-differentially private"));
  const auto lines = json_lines(read("r").value_or(""));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["epsilon"], 0.123456789);
  EXPECT_EQ(lines[0]["delta"], 1.23456789e-7);
}

TEST_F(FitOutput, AHugeEpsilonIsStillAReadableSentence) {
  const Outcome outcome = run(fit_flags().without("--insecure-seed").with("--epsilon", "1000").fit(), csv(10));
  EXPECT_TRUE(holds(outcome.out, "a factor of at most e^1000,"));
}

TEST_F(FitOutput, EveryStepIsOneJsonLineWithTheSameKeys) {
  const Outcome outcome = run(fit_flags().without("--insecure-seed").with("--releases", path("r")).fit(), csv(35));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 35 rows (release 4)"));
  const auto lines = json_lines(read("r").value_or(""));
  ASSERT_EQ(lines.size(), 4u) << "the last, partial step is released as well";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    EXPECT_EQ(keys_of(line),
              (Names{"coefficients", "delta", "epsilon", "intercept", "neighbours", "noise", "rows", "step"}));
    EXPECT_EQ(line["step"], i + 1);
    EXPECT_EQ(line["rows"], std::min<std::size_t>(35, 10 * (i + 1)));
    EXPECT_TRUE(line["intercept"].is_number());
    EXPECT_EQ(keys_of(line["coefficients"]), (Names{"kind=b", "kind=c", "x", "z"}));
    EXPECT_EQ(keys_of(line["noise"]), (Names{"cross", "gram_diagonal", "gram_offdiagonal"}));
    for (const auto& [key, value] : line["noise"].items()) EXPECT_GT(value.get<double>(), 0.0) << key;
    EXPECT_EQ(line["epsilon"], 1);
    EXPECT_EQ(line["delta"], 1e-6);
    EXPECT_EQ(line["neighbours"], "replace");
  }
}

TEST_F(FitOutput, ReleasesOnStandardOutputHaveItToThemselves) {
  const Outcome to_file = run(fit_flags().with("--releases", path("r")).fit(), csv(35));
  const Outcome to_pipe = run(fit_flags().with("--releases", "-").fit(), csv(35));
  EXPECT_EQ(to_pipe.exit_code, 0);
  EXPECT_EQ(json_lines(to_pipe.out).size(), 4u);
  EXPECT_EQ(to_pipe.out, read("r"));
  EXPECT_EQ(to_pipe.err, to_file.out);
}

TEST_F(FitOutput, AReleasesFileIsReplacedNotAppendedTo) {
  write("r", "older, longer content that must be gone\n" + std::string(100000, 'x'));
  run(fit_flags().with("--releases", path("r")).fit(), csv(20));
  EXPECT_EQ(json_lines(read("r").value_or("")).size(), 2u);
}

TEST_F(FitOutput, TheSameSeedGivesTheSameBytesAndAnotherSeedDoesNot) {
  const auto once = [&](const std::string& seed) {
    return run(fit_flags().with("--insecure-seed", seed).with("--releases", "-").fit(), csv(50));
  };
  const Outcome first = once("7");
  const Outcome again = once("7");
  const Outcome other = once("8");
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(first.err, again.err);
  EXPECT_NE(json_lines(first.out)[0]["intercept"], json_lines(other.out)[0]["intercept"]);
}

TEST_F(FitOutput, WithoutASeedTwoRunsDiffer) {
  const auto once = [&] {
    return run(fit_flags().without("--insecure-seed").with("--releases", "-").fit(), csv(50)).out;
  };
  EXPECT_NE(json_lines(once())[0]["intercept"], json_lines(once())[0]["intercept"]);
}

TEST_F(FitOutput, EverythingMadeWithASeedSaysItIsNotPrivate) {
  const Outcome outcome = run(fit_flags().with("--releases", "-").fit(), csv(50));
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  for (const auto& line : lines) EXPECT_EQ(line["not_private"], "made with --insecure-seed 7");
  EXPECT_TRUE(holds(outcome.err, kNotPrivate));
  EXPECT_TRUE(lacks(outcome.err, "differentially private")) << "no promise is made that does not hold";
  EXPECT_TRUE(holds(run(fit_flags().fit(), csv(50)).out, kNotPrivate));

  const Outcome secure = run(fit_flags().without("--insecure-seed").with("--releases", "-").fit(), csv(50));
  EXPECT_TRUE(lacks(secure.out + secure.err, kNotPrivate));
  EXPECT_TRUE(lacks(secure.out, "not_private"));
}

TEST_F(FitOutput, WithHardlyAnyNoiseALinearLawComesBackInTheUsersUnits) {
  const Outcome outcome = run(
      fit_flags().with("--epsilon", "1e6").with("--release-every", "1000").with("--releases", "-").fit(), csv(3000));
  const auto last = json_lines(outcome.out).back();
  EXPECT_NEAR(last["intercept"].get<double>(), 3.0, 0.1);
  EXPECT_NEAR(last["coefficients"]["x"].get<double>(), 2.0, 0.02);
  EXPECT_NEAR(last["coefficients"]["z"].get<double>(), -1.5, 0.02);
  EXPECT_NEAR(last["coefficients"]["kind=b"].get<double>(), 4.0, 0.1);
  EXPECT_NEAR(last["coefficients"]["kind=c"].get<double>(), -2.0, 0.1);
}

TEST_F(FitOutput, WithoutAnInterceptEveryLevelHasItsOwnCoefficient) {
  const Flags flags = fit_flags()
                          .with("--epsilon", "1e6")
                          .with("--release-every", "1000")
                          .with("--releases", "-")
                          .bare("--no-intercept");
  const Outcome outcome = run(flags.fit(), csv(3000));
  const auto last = json_lines(outcome.out).back();
  EXPECT_EQ(last["intercept"], 0.0);
  EXPECT_TRUE(lacks(outcome.err, "(intercept)"));
  EXPECT_NEAR(last["coefficients"]["x"].get<double>(), 2.0, 0.02);
  EXPECT_NEAR(last["coefficients"]["z"].get<double>(), -1.5, 0.02);
  EXPECT_NEAR(last["coefficients"]["kind=a"].get<double>(), 3.0, 0.1);
  EXPECT_NEAR(last["coefficients"]["kind=b"].get<double>(), 7.0, 0.1);
  EXPECT_NEAR(last["coefficients"]["kind=c"].get<double>(), 1.0, 0.1);
}

TEST_F(FitOutput, ACoefficientBeyondTheRangeOfDoublesIsNullAndTheLineStaysJson) {
  const Flags flags = {
      {"--target", "y"},  {"--features", "x"}, {"--bound", "x=-1e-90:1e-90"}, {"--bound", "y=-1e300:1e300"},
      {"--epsilon", "1"}, {"--delta", "1e-6"}, {"--releases", "-"},           {"--insecure-seed", "1"}};
  const Outcome outcome = run(flags.fit(), "x,y\n1e-90,1e300\n");
  EXPECT_EQ(outcome.exit_code, 0);
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0]["coefficients"]["x"].is_null()) << outcome.out;
}

TEST_F(FitOutput, TheConfigurationInTheDocumentationRunsAsPrinted) {
  std::ifstream page(RIVULET_SOURCE_DIR "/docs/formats.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  const std::size_t begin = text.find("```toml\n") + 8;
  ASSERT_GE(begin, 8u);
  const std::string config = write("model.toml", text.substr(begin, text.find("```", begin) - begin));
  const std::string survey =
      write("survey.csv", "person_id,age,income,region,spend\n1,40,30000,north,900\n2,50,41000,south,1200\n");
  // Its paths are relative to the working directory; flags put them into this test's folder.
  const Outcome outcome =
      run({"fit", survey, "--config", config, "--releases", "-", "--model", path("survey.rivulet")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json_lines(outcome.out).size(), 1u);
}

TEST_F(FitOutput, StrategiesProfilesAndNeighboursAllRun) {
  const Flags base = fit_flags().with("--releases", "-");
  for (const Flags& flags : {base.with("--strategy", "hybrid"), base.with("--strategy", "tree").with("--horizon", "8"),
                             base.with("--strategy", "tree").with("--horizon", "8").with("--tree-decoding", "paper"),
                             base.with("--profile", "paper").with("--horizon", "8"), base.with("--buffers", "3"),
                             base.with("--neighbours", "zero-out"), base.with("--constraint", "l1:1"),
                             base.with("--clip-norm", "1.5"), base.with("--horizon", "5")}) {
    const Outcome outcome = run(flags.fit(), csv(50));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json_lines(outcome.out).size(), 5u);
  }
}

const char* const kConfig = R"(target = "y"
features = ["x", "z", "kind"]
epsilon = 1
delta = 1e-6
release-every = 10
neighbours = "zero-out"
horizon = 20
strategy = "tree"
tree-decoding = "paper"
constraint = "l1:1.5"
clip-norm = 1.5
delimiter = ";"
[bounds]
x = [0, 10]
z = "-5:5"
y = [-50, 50.0]
[levels]
kind = ["a", "b", "c"]
)";

std::string with_semicolons(std::string text) {
  std::replace(text.begin(), text.end(), ',', ';');
  return text;
}

TEST_F(FitOutput, AConfigurationFileGivesTheBytesOfTheSameFlags) {
  const Flags flags = fit_flags()
                          .with("--neighbours", "zero-out")
                          .with("--horizon", "20")
                          .with("--strategy", "tree")
                          .with("--tree-decoding", "paper")
                          .with("--constraint", "l1:1.5")
                          .with("--clip-norm", "1.5")
                          .with("--delimiter", ";")
                          .with("--releases", "-");
  const Outcome typed = run(flags.fit(), with_semicolons(csv(50)));
  const Flags from_file = {{"--config", write("c.toml", kConfig)}, {"--insecure-seed", "7"}, {"--releases", "-"}};
  const Outcome configured = run(from_file.fit(), with_semicolons(csv(50)));
  EXPECT_EQ(typed.exit_code, 0) << typed.err;
  EXPECT_EQ(json_lines(typed.out).size(), 5u);
  EXPECT_EQ(configured.out, typed.out);
  EXPECT_EQ(configured.err, typed.err);
}

TEST_F(FitOutput, InputAndReleasesMayStandInTheConfigurationFile) {
  const std::string text = "input = \"" + write("d.csv", csv(20)) + "\"\nreleases = \"" + path("r") + "\"\n";
  const Flags base = fit_flags().with("--config", write("c.toml", text));
  const Outcome outcome = run(base.arguments("fit"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json_lines(read("r").value_or("")).size(), 2u);
}

TEST_F(FitOutput, FlagsWinOverTheConfigurationFile) {
  const Flags flags = {{"--config", write("c.toml", kConfig)},
                       {"--insecure-seed", "7"},
                       {"--releases", "-"},
                       {"--epsilon", "2"},
                       {"--release-every", "25"},
                       {"--delimiter", ","},
                       {"--neighbours", "replace"},
                       {"--bound", "y=-100:100"}};
  const Outcome overridden = run(flags.fit(), csv(50));
  EXPECT_EQ(overridden.exit_code, 0) << overridden.err;
  const auto lines = json_lines(overridden.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["epsilon"], 2);
  EXPECT_EQ(lines[0]["neighbours"], "replace");
  const Outcome plain = run(flags.without("--bound").fit(), csv(50));
  EXPECT_NE(plain.out, overridden.out) << "the bound of the flag was not used";
}

TEST_F(FitOutput, AConfigurationFileCannotMakeARunInsecure) {
  const Outcome outcome = run(
      fit_flags().without("--insecure-seed").with("--config", write("c.toml", "insecure-seed = 7\n")).fit(), csv(20));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "insecure-seed"));
}

}  // namespace
}  // namespace rivulet::cli_testing
