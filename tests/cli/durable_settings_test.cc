// A model's settings are part of its promise: they may be left out or said again, and cannot be changed.
#include <gtest/gtest.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

struct OtherSetting {
  std::string name;
  Arguments flags;
  std::string names;  // what the message names
};

void PrintTo(const OtherSetting& setting, std::ostream* out) {
  *out << setting.name;
}

class DurableSetting : public DurableTest, public ::testing::WithParamInterface<OtherSetting> {};

TEST_P(DurableSetting, ThatDiffersIsRefusedByNameWithEverythingUntouched) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  write("d.csv", csv(40));
  const auto before = everything();
  const Outcome outcome = run(go_on(GetParam().flags));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, GetParam().names));
  EXPECT_EQ(everything(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, DurableSetting,
    ::testing::Values(OtherSetting{"Epsilon", {"--epsilon", "2"}, "epsilon"},
                      OtherSetting{"Delta", {"--delta", "1e-7"}, "delta"},
                      OtherSetting{"FeatureBound", {"--bound", "x=0:11"}, "x"},
                      OtherSetting{"TargetBound", {"--bound", "y=-50:51"}, "y"},
                      OtherSetting{"Levels", {"--levels", "kind=a|b|c|d"}, "kind"},
                      OtherSetting{"OrderOfLevels", {"--levels", "kind=b|a|c"}, "kind"},
                      OtherSetting{"Features", {"--features", "x,z"}, "another list of features"},
                      OtherSetting{"OrderOfFeatures", {"--features", "z,x,kind"}, "another list of features"},
                      OtherSetting{"Target", {"--target", "w", "--bound", "w=0:1"}, "another target"},
                      OtherSetting{"NoIntercept", {"--no-intercept"}, "intercept"},
                      OtherSetting{"ClipNorm", {"--clip-norm", "1"}, "clip"},
                      OtherSetting{"Constraint", {"--constraint", "l1:1"}, "constraint"},
                      OtherSetting{"ReleaseEvery", {"--release-every", "5"}, "release-every"},
                      OtherSetting{"Horizon", {"--horizon", "100"}, "horizon"},
                      OtherSetting{"Neighbours", {"--neighbours", "zero-out"}, "neighbours"},
                      OtherSetting{"Strategy", {"--strategy", "hybrid"}, "strategy"},
                      OtherSetting{"Buffers", {"--buffers", "2"}, "buffers"},
                      OtherSetting{"Profile", {"--profile", "paper", "--horizon", "64"}, "profile"},
                      OtherSetting{"Seed", {"--insecure-seed", "8"}, "insecure-seed"},
                      OtherSetting{"OnlyIf", {"--only-if", "x=1:2"}, "only-if"},
                      OtherSetting{"Unit", {"--unit", "p", "--max-rows-per-unit", "2"}, "unit"},
                      OtherSetting{"UnreadableEpsilon", {"--epsilon", "one"}, "epsilon"},
                      OtherSetting{"UnreadableSeen", {"--seen", "1:ab"}, "seen"}),
    [](const auto& test) { return test.param.name; });

class DurableSettings : public DurableTest {};

TEST_F(DurableSettings, MayBeSaidAgainByFlagsOrInAFileOrLeftOut) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  const std::string config = write("c.toml",
                                   "target = \"y\"\nfeatures = [\"x\", \"z\", \"kind\"]\nepsilon = 1.0\ndelta = 1e-6\n"
                                   "release-every = 10\n[bounds]\nx = [0, 10]\nz = [-5, 5]\ny = [-50, 50]\n"
                                   "[levels]\nkind = [\"a\", \"b\", \"c\"]\n");
  std::size_t rows = 20;
  for (const Arguments& command :
       {durable().fit(file), go_on(), go_on({"--config", config}), go_on({"--epsilon", "1"}),
        go_on({"--constraint", "l2:2"}), go_on({"--strategy", "blt"}), go_on({"--bound", "z=-5:5"}),
        go_on({"--insecure-seed", "7"}), go_on({"--horizon", "unbounded"})}) {
    write("d.csv", csv(rows += 10));
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(rows)));
}

TEST_F(DurableSettings, ASecureModelCannotBecomeAnInsecureOne) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable(fit_flags().without("--insecure-seed")).fit(file)).exit_code, 0);
  const auto before = everything();
  const Outcome outcome = run(go_on({"--insecure-seed", "7"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "insecure-seed"));
  EXPECT_EQ(everything(), before);
}

TEST_F(DurableSettings, FlagsOfADurableStreamNeedAModelAndAModelThatExists) {
  const std::string file = write("d.csv", csv(20));
  for (const auto& [flags, name] : std::vector<std::pair<Flags, std::string>>{
           {fit_flags().bare("--next-input"), "next-input: is for a stream that is kept in a file"},
           {fit_flags().bare("--whole-steps"), "whole-steps: is for a stream that is kept in a file"},
           {fit_flags().with("--seen", "1:0123456789abcdef"), "seen: is for a stream that is kept in a file"},
           {durable().bare("--next-input"), "next-input: '" + path("m") + "' does not exist yet"},
           {durable().with("--seen", "1:0123456789abcdef"), "seen: '" + path("m") + "' does not exist yet"}}) {
    const Outcome outcome = run(flags.fit(file));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, name));
    EXPECT_EQ(everything().size(), 1U) << "nothing was made";
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
