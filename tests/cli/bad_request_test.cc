// Requests that cannot be honoured: exit code 2, one line that names the field and what is accepted, nothing read,
// nothing written.
#include "cli/bad_request.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

class BadFitRequest : public FitTest, public ::testing::WithParamInterface<BadRequest> {};

TEST_P(BadFitRequest, IsRefusedInOneLineWithNothingReadOrWritten) {
  for (const bool releases_exist : {false, true}) {
    if (releases_exist) write("releases", "older");
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    const std::string text = csv(20);
    ASSERT_EQ(::write(pipe[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));

    const Flags flags = GetParam().flags.with("--releases", path("releases"));
    const Outcome outcome = run(flags.fit(), Wiring().with_in(Stream::from(pipe[0])));
    expect_one_line(outcome, GetParam().message);
    EXPECT_EQ(read("releases"), releases_exist ? std::optional<std::string>("older") : std::nullopt);
    int unread = 0;
    ASSERT_EQ(::ioctl(pipe[0], FIONREAD, &unread), 0);
    EXPECT_EQ(static_cast<std::size_t>(unread), text.size()) << "something was read";
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

std::vector<BadRequest> bad_fit_requests() {
  const Flags base = fit_flags();
  const std::string positive = "accepted: a positive finite number";
  const std::string probability = "accepted: a number above 0 and below 1";
  const std::string constraint = "accepted: l2:R or l1:R with a positive finite R";
  const std::string bounds = "accepted: lo:hi or [lo, hi], two finite numbers with lo < hi";
  const std::string never = "bounds are never learnt from the data";
  return {
      {"EpsilonZero", base.with("--epsilon", "0"), {"epsilon: 0", positive}},
      {"EpsilonNegative", base.with("--epsilon", "-1"), {"epsilon: -1", positive}},
      {"EpsilonNan", base.with("--epsilon", "nan"), {"epsilon: \"nan\"", "accepted: a"}},
      {"EpsilonInfinite", base.with("--epsilon", "inf"), {"epsilon: \"inf\"", "accepted: a"}},
      {"EpsilonTooLargeForADouble", base.with("--epsilon", "1e400"), {"epsilon: \"1e400\"", "accepted: a"}},
      {"EpsilonEmpty", base.with("--epsilon", ""), {"epsilon: \"\"", "accepted: a"}},
      {"EpsilonWithText", base.with("--epsilon", "1x"), {"epsilon: \"1x\"", "accepted: a"}},
      {"EpsilonMissing", base.without("--epsilon"), {"epsilon: not given", "epsilon=1"}},
      {"EpsilonTwice", base.plus("--epsilon", "2"), {"--epsilon: given more than once; accepted: --epsilon E, once"}},
      {"EpsilonWithoutValue",
       base.without("--epsilon").bare("--epsilon"),
       {"--epsilon: has no value; accepted: --epsilon E"}},
      {"DeltaZero", base.with("--delta", "0"), {"delta: 0", probability}},
      {"DeltaOne", base.with("--delta", "1"), {"delta: 1", probability}},
      {"DeltaNegative", base.with("--delta", "-1e-6"), {"delta: -1e-06", probability}},
      {"DeltaAboveOne", base.with("--delta", "2"), {"delta: 2", probability}},
      {"DeltaNan", base.with("--delta", "nan"), {"delta: \"nan\"", "accepted: a"}},
      {"DeltaMissing", base.without("--delta"), {"delta: not given", "delta=1e-6"}},
      {"ConstraintRadiusZero", base.with("--constraint", "l2:0"), {"constraint: 'l2:0'", constraint}},
      {"ConstraintRadiusNegative", base.with("--constraint", "l2:-1"), {"constraint: 'l2:-1'", constraint}},
      {"ConstraintUnknown", base.with("--constraint", "l3:1"), {"constraint: 'l3:1'", constraint}},
      {"ConstraintWithoutRadius", base.with("--constraint", "l2"), {"constraint: 'l2'", constraint}},
      {"ConstraintRadiusText", base.with("--constraint", "l2:abc"), {"constraint: 'l2:abc'", constraint}},
      {"UnknownFlag", base.with("--bogus", "1"), {"--bogus: unknown flag", "accepted: those of rivulet fit --help"}},
      {"MistypedFlag", base.with("--neighbors", "replace"), {"--neighbors: unknown flag; did you mean --neighbours?"}},
      {"FlagWithValueItCannotTake", base.bare("--quiet=7"), {"--quiet: takes no value; accepted: --quiet alone"}},
      {"SecondFile", base.bare("second.csv"), {"\"second.csv\": not expected here", "rivulet fit --help"}},
      {"StrategyUnknown", base.with("--strategy", "oak"), {"strategy: \"oak\"", "accepted: blt, tree, hybrid"}},
      {"ProfileUnknown", base.with("--profile", "loose"), {"profile: \"loose\"", "accepted: tight, paper"}},
      {"NeighboursUnknown", base.with("--neighbours", "none"), {"neighbours: \"none\"", "accepted: replace, zero-out"}},
      {"TreeDecodingUnknown",
       base.with("--tree-decoding", "best"),
       {"tree-decoding: \"best\"", "accepted: optimal, paper"}},
      {"TreeWithoutHorizon",
       base.with("--strategy", "tree"),
       {"strategy: 'tree' needs a known horizon", "give a number of steps"}},
      {"PaperEpsilonTwo",
       base.with("--profile", "paper").with("--horizon", "100").with("--epsilon", "2"),
       {"epsilon: profile 'paper' is refused", "use an epsilon of at most 1"}},
      {"PaperHorizonThree",
       base.with("--profile", "paper").with("--horizon", "3"),
       {"horizon: profile 'paper' is refused", "use at least 4"}},
      {"PaperUnbounded", base.with("--profile", "paper"), {"horizon: profile 'paper' needs", "accepted: horizon=N"}},
      {"PaperWithBlt",
       base.with("--profile", "paper").with("--horizon", "8").with("--strategy", "blt"),
       {"strategy: profile 'paper'", "'tree'"}},
      {"HorizonZero",
       base.with("--horizon", "0"),
       {"horizon: 0", "accepted: \"unbounded\" or a positive whole number"}},
      {"HorizonNegative",
       base.with("--horizon", "-5"),
       {"horizon: -5", "accepted: \"unbounded\" or a positive whole number"}},
      {"HorizonWord",
       base.with("--horizon", "forever"),
       {"horizon: \"forever\"", "accepted: \"unbounded\" or a positive whole number"}},
      {"ReleaseEveryZero",
       base.with("--release-every", "0"),
       {"release-every: 0", "accepted: a positive whole number"}},
      {"ReleaseEveryFraction",
       base.with("--release-every", "1.5"),
       {"release-every: 1.5", "accepted: a positive whole number"}},
      {"ReleaseEveryHuge", base.with("--release-every", "2000000000000"), {"release-every: 2000000000000", "accepted: 1 to"}},
      {"FeatureBoundMissing", base.without("--bound", "x=0:10"), {"bounds x: not declared", never, "bounds x=LO:HI"}},
      {"TargetBoundMissing", base.without("--bound", "y=-50:50"), {"bounds y: not declared", never, "bounds y=LO:HI"}},
      {"LevelsMissing", base.without("--levels"), {"bounds kind: not declared", never, "levels kind=A|B"}},
      {"BoundEmptyRange", base.without("--bound", "x=0:10").plus("--bound", "x=2:2"), {"bounds x: 2:2", bounds}},
      {"BoundReversed", base.without("--bound", "x=0:10").plus("--bound", "x=3:2"), {"bounds x: 3:2", bounds}},
      {"BoundInfinite", base.without("--bound", "x=0:10").plus("--bound", "x=0:inf"), {"bounds x: \"0:inf\"", bounds}},
      {"BoundWithoutName", base.plus("--bound", "0:1"), {"bounds: \"0:1\"", "accepted: name=lo:hi"}},
      {"BoundOfUnknownColumn",
       base.plus("--bound", "weight=0:1"),
       {"bounds weight: declared for a column that is neither", "accepted"}},
      {"BoundTwice", base.plus("--bound", "x=0:20"), {"bounds x: declared twice", "accepted: one flag a column"}},
      {"LevelsTwice",
       base.plus("--levels", "kind=a|b"),
       {"levels kind: declared twice", "accepted: one flag a column"}},
      {"LevelsAndBound",
       base.plus("--bound", "kind=0:1"),
       {"column kind: has both bounds and levels", "accepted: bounds"}},
      {"OneLevel", base.with("--levels", "kind=a"), {"levels kind: a list of 1", "two or more different levels"}},
      {"TargetMissing", base.without("--target"), {"target: not given", "accepted: target=NAME"}},
      {"FeaturesMissing", base.without("--features"), {"features: not given", "accepted: features=A,B"}},
      {"FeatureIsTheTarget",
       base.with("--features", "x,z,kind,y"),
       {"column y: declared twice", "accepted: every column once"}},
      {"BuffersZero", base.with("--buffers", "0"), {"buffers: 0", "accepted: a whole number from 1 to 8"}},
      {"BuffersNine", base.with("--buffers", "9"), {"buffers: 9", "accepted: a whole number from 1 to 8"}},
      {"ClipNormZero", base.with("--clip-norm", "0"), {"clip-norm: 0", "accepted: a positive finite number"}},
      {"DelimiterTooLong", base.with("--delimiter", ";;"), {"delimiter: \";;\"", "accepted: one character"}},
      {"SeedText",
       base.with("--insecure-seed", "seven"),
       {"insecure-seed: \"seven\"", "accepted: a whole number from 0"}},
      {"SeedNegative",
       base.with("--insecure-seed", "-1"),
       {"insecure-seed: -1", "accepted: a whole number from 0"}},
  };
}

std::string name_of(const ::testing::TestParamInfo<BadRequest>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Fit, BadFitRequest, ::testing::ValuesIn(bad_fit_requests()), name_of);

class BadPlanRequest : public ::testing::TestWithParam<BadRequest> {};

TEST_P(BadPlanRequest, IsRefusedInOneLine) {
  expect_one_line(run(GetParam().flags.plan()), GetParam().message);
}

std::vector<BadRequest> bad_plan_requests() {
  const Flags base{{"--dim", "10"}, {"--epsilon", "1"}, {"--delta", "1e-6"}};
  return {
      {"DimMissing", base.without("--dim"), {"dim: not given", "accepted: the number of covariates"}},
      {"EpsilonMissing", base.without("--epsilon"), {"epsilon: not given", "accepted: a positive number"}},
      {"DeltaMissing", base.without("--delta"), {"delta: not given", "accepted: the probability"}},
      {"DimZero", base.with("--dim", "0"), {"dim: 0", "accepted: a positive whole number"}},
      {"DimNegative", base.with("--dim", "-1"), {"dim: -1", "accepted: a positive whole number"}},
      {"DimText", base.with("--dim", "ten"), {"dim: \"ten\"", "accepted: a positive whole number"}},
      {"DimTooLarge", base.with("--dim", "1000000"), {"dim", "1000000", "accepted: 1 to 20000"}},
      {"EpsilonZero", base.with("--epsilon", "0"), {"epsilon: 0", "accepted: a positive finite number"}},
      {"DeltaOne", base.with("--delta", "1"), {"delta: 1", "accepted: a number above 0 and below 1"}},
      {"StrategyUnknown", base.with("--strategy", "oak"), {"strategy: \"oak\"", "accepted: blt, tree, hybrid"}},
      {"TreeWithoutHorizon", base.with("--strategy", "tree"), {"strategy: 'tree' needs a known horizon"}},
      {"PaperEpsilonTwo",
       base.with("--profile", "paper").with("--horizon", "100").with("--epsilon", "2"),
       {"epsilon: profile 'paper'"}},
      {"PaperHorizonThree", base.with("--profile", "paper").with("--horizon", "3"), {"horizon: profile 'paper'"}},
      {"PaperUnbounded", base.with("--profile", "paper"), {"horizon"}},
      {"AtZero", base.with("--at", "0"), {"at: 0", "accepted: a positive whole number"}},
      {"AtPastTheHorizon", base.with("--horizon", "10").with("--at", "11"), {"at: step 11", "accepted: 1 to 10"}},
      {"BuffersNine", base.with("--buffers", "9"), {"buffers: 9", "accepted: a whole number from 1 to 8"}},
      {"ShareZero", base.with("--share", "0"), {"share: 0", "accepted: a positive finite number"}},
      {"BetaOne", base.with("--beta", "1"), {"beta: 1", "accepted: a probability above 0 and below 1"}},
      {"Argument", base.bare("data.csv"), {"\"data.csv\": not expected here", "rivulet plan --help"}},
      {"UnknownFlag", base.bare("--bogus"), {"--bogus: unknown flag", "rivulet plan --help"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Plan, BadPlanRequest, ::testing::ValuesIn(bad_plan_requests()), name_of);

TEST(BadCommand, IsNamedWithThoseThatExist) {
  expect_one_line(run(Arguments{}),
                  {"command: not given; accepted: fit, summary, predict, refit, export, inspect, plan"});
  expect_one_line(run({"train"}),
                  {"command: \"train\" is not known; accepted: fit, summary, predict, refit, export, inspect, plan"});
  expect_one_line(run({"--bogus"}), {"--bogus: unknown flag"});
}

}  // namespace
}  // namespace rivulet::cli_testing
