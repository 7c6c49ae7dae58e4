#include "stream/config.h"

#include <gtest/gtest.h>

#include <string>

#include "support/refusal.h"

namespace rivulet::stream {
namespace {

using rivulet::testing::refusal;

std::string config_refusal(const std::string& text) {
  return refusal([&] { parse_config(text, "my.toml"); });
}

FitConfig two_columns() {
  FitConfig config;
  config.target = "y";
  config.features = {"age", "job"};
  config.bounds = {{"age", {18.0, 90.0}}, {"y", {0.0, 1.0}}};
  config.levels = {{"job", {"none", "some"}}};
  return config;
}

TEST(Config, EverySettingIsRead) {
  const FitConfig config = parse_config(R"(
input = "rows.csv.gz"
target = "y"
features = ["age", "job"]
intercept = false
clip-norm = 2
epsilon = 0.5
delta = 1e-9
neighbours = "zero-out"
horizon = 1000
release-every = 100
strategy = "tree"
tree-decoding = "paper"
buffers = 5
constraint = "l1:2.5"
profile = "paper"
releases = "out.jsonl"
delimiter = "tab"
[bounds]
age = [18, 90.5]
y = "-1e3:+2"
[levels]
job = ["none", "some"]
)",
                                        "my.toml");
  EXPECT_EQ(config.input, "rows.csv.gz");
  EXPECT_EQ(config.target, "y");
  EXPECT_EQ(config.features, (std::vector<std::string>{"age", "job"}));
  EXPECT_EQ(config.intercept, false);
  EXPECT_EQ(config.clip_norm, 2.0);
  EXPECT_EQ(config.epsilon, 0.5);
  EXPECT_EQ(config.delta, 1e-9);
  EXPECT_EQ(config.neighbours, Neighbours::zero_out);
  EXPECT_EQ(config.horizon->steps(), 1000u);
  EXPECT_EQ(config.release_every, 100u);
  EXPECT_EQ(config.strategy, StrategyKind::tree);
  EXPECT_EQ(config.tree_decoding, TreeDecoding::paper);
  EXPECT_EQ(config.buffers, 5u);
  EXPECT_EQ(config.constraint, "l1:2.5");
  EXPECT_EQ(config.profile, Profile::paper);
  EXPECT_EQ(config.releases, "out.jsonl");
  EXPECT_EQ(config.delimiter, '\t');
  EXPECT_EQ(config.bounds.at("age").hi, 90.5);
  EXPECT_EQ(config.bounds.at("y").lo, -1000.0);
  EXPECT_EQ(config.levels.at("job"), (std::vector<std::string>{"none", "some"}));
}

TEST(Config, WhatIsNotInTheFileIsNotSet) {
  const FitConfig config = parse_config("", "my.toml");
  EXPECT_FALSE(config.epsilon.has_value());
  EXPECT_FALSE(config.features.has_value());
  EXPECT_FALSE(config.horizon.has_value());
  EXPECT_TRUE(config.bounds.empty());
  EXPECT_FALSE(parse_config("horizon = \"unbounded\"", "my.toml").horizon->is_known());
}

TEST(Config, AnUnknownKeyIsRefusedWithItsLineAndTheNearestKey) {
  EXPECT_EQ(config_refusal("epsilon = 1\nrelease_every = 100\n"),
            "release_every: unknown key; did you mean \"release-every\"? (my.toml, line 2)");
  const std::string far = config_refusal("\n\nflavour = 1\n");
  EXPECT_NE(far.find("flavour: unknown key; accepted: bounds, levels, input, target"), std::string::npos) << far;
  EXPECT_NE(far.find("(my.toml, line 3)"), std::string::npos) << far;
  EXPECT_NE(config_refusal("[bound]\nage = [1, 2]\n").find("did you mean \"bounds\"?"), std::string::npos);
}

TEST(Config, AWrongTypeIsRefusedWithTheValueAndWhatIsAccepted) {
  EXPECT_EQ(config_refusal("epsilon = \"one\""),
            "epsilon: \"one\" is not accepted; accepted: a positive finite number, e.g. 1.5 (my.toml, line 1)");
  EXPECT_EQ(config_refusal("release-every = 1.5"),
            "release-every: 1.5 is not accepted; accepted: a positive whole number, e.g. 100 (my.toml, line 1)");
  EXPECT_EQ(config_refusal("intercept = 1"),
            "intercept: 1 is not accepted; accepted: true or false, without quotes (my.toml, line 1)");
  EXPECT_EQ(config_refusal("strategy = \"forest\""),
            "strategy: \"forest\" is not known; accepted: blt, tree, hybrid (my.toml, line 1)");
  EXPECT_NE(config_refusal("features = \"a,b\"").find("accepted: a list of names"), std::string::npos);
  EXPECT_NE(config_refusal("features = [1, 2]").find("features: 1 is not accepted"), std::string::npos);
  EXPECT_NE(config_refusal("target = 2013-01-01").find("target: a date or time is not accepted"), std::string::npos);
  EXPECT_NE(config_refusal("bounds = 3").find("bounds: 3 is not accepted; accepted: a table"), std::string::npos);
}

TEST(Config, AValueOutOfRangeIsRefused) {
  for (const char* text : {"epsilon = 0",
                           "epsilon = -1",
                           "epsilon = inf",
                           "epsilon = nan",
                           "delta = 0",
                           "delta = 1",
                           "delta = nan",
                           "clip-norm = 0.0",
                           "release-every = 0",
                           "release-every = -5",
                           "buffers = 0",
                           "horizon = 0",
                           "horizon = -1",
                           "horizon = \"soon\"",
                           "horizon = 1.5",
                           "delimiter = \";;\"",
                           "delimiter = \"\"",
                           "target = \"\"",
                           "tree-decoding = \"x\"",
                           "neighbours = \"x\"",
                           "profile = true",
                           "bounds.a = [1, 1]",
                           "bounds.a = [2, 1]",
                           "bounds.a = [1]",
                           "bounds.a = [1, 2, 3]",
                           "bounds.a = [0, inf]",
                           "bounds.a = [\"0\", 1]",
                           "bounds.a = \"1\"",
                           "bounds.a = 5",
                           "levels.a = \"x|y\"",
                           "levels.a = [1, 2]",
                           "epsilon = 99999999999999999999",
                           "release-every = 99999999999999999999",
                           "horizon = 99999999999999999999",
                           "epsilon = 1e400",
                           "bounds.a = [0, 1e400]",
                           "bounds.a = [-99999999999999999999, 1]"}) {
    EXPECT_NE(config_refusal(text).find("(my.toml, line 1)"), std::string::npos)
        << text << ": " << config_refusal(text);
  }
}

TEST(Config, ABadBoundNamesItsColumnAndLine) {
  EXPECT_EQ(config_refusal("[bounds]\nb = [0, 1]\nage = [90, 18]\n"),
            "bounds.age: [90, 18] is not accepted; accepted: [lo, hi] or \"lo:hi\", two finite numbers with lo < hi "
            "(my.toml, line 3)");
}

TEST(Config, TextThatIsNotTomlIsRefusedWithItsLineInOneLine) {
  for (const char* text :
       {"epsilon 1", "epsilon = 1\nepsilon = 2\n", "a = ", "[bounds", "= 3", "x = [1, 2", "x = \"abc"}) {
    const std::string message = config_refusal(text);
    EXPECT_NE(message.find("config: my.toml, line "), std::string::npos) << text << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << text << " -> " << message;
  }
  EXPECT_NE(config_refusal("epsilon = 1\n\nrelease-every 5\n").find("line 3"), std::string::npos)
      << config_refusal("epsilon = 1\n\nrelease-every 5\n");
}

TEST(Config, NestingWithoutEndIsRefusedNotFollowed) {
  EXPECT_NE(config_refusal("x = " + std::string(100000, '[')).find("nested too deeply"), std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_NE(config_refusal(dotted + " = 1").find("nested too deeply"), std::string::npos);
}

TEST(Config, TextThatIsNotUtf8IsRefusedWithItsLine) {
  for (const std::string bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_NE(config_refusal("epsilon = 1\ntarget = '" + bad + "'\n").find("config: my.toml, line 2: not UTF-8"),
              std::string::npos);
  }
  EXPECT_NE(config_refusal(std::string("a = 1\0", 6)).find("a control character"), std::string::npos);
  EXPECT_EQ(parse_config("target = 'Größe €𝄞'", "my.toml").target, "Größe €𝄞");
}

TEST(Config, AFileThatCannotBeReadIsAnIoError) {
  EXPECT_THROW(read_config("/nowhere/my.toml"), IoError);
}

TEST(Config, WhatTheCommandLineSetsWins) {
  FitConfig file = two_columns();
  file.epsilon = 1.0;
  file.delta = 1e-6;
  FitConfig flags;
  flags.epsilon = 0.1;
  flags.bounds = {{"age", {0.0, 120.0}}};
  const FitConfig merged = merge(file, flags);
  EXPECT_EQ(merged.epsilon, 0.1);
  EXPECT_EQ(merged.delta, 1e-6);
  EXPECT_EQ(merged.bounds.at("age").hi, 120.0);
  EXPECT_EQ(merged.bounds.at("y").hi, 1.0);
  EXPECT_EQ(merged.levels.at("job").size(), 2u);
}

TEST(Config, ABoundOnTheCommandLineReplacesLevelsInTheFileAndBack) {
  FitConfig flags;
  flags.bounds = {{"job", {0.0, 3.0}}};
  flags.levels = {{"age", {"young", "old"}}};
  const FitConfig merged = merge(two_columns(), flags);
  EXPECT_FALSE(merged.levels.contains("job"));
  EXPECT_FALSE(merged.bounds.contains("age"));
  EXPECT_NO_THROW(build_schema(merged));
}

TEST(Config, TheSchemaHasTheFeaturesInTheirOrder) {
  const Schema schema = build_schema(two_columns());
  EXPECT_EQ(schema.coordinate_names(), (std::vector<std::string>{"(intercept)", "age", "job=some"}));
  EXPECT_EQ(schema.target_name(), "y");
  FitConfig config = two_columns();
  config.intercept = false;
  config.clip_norm = 1.0;
  EXPECT_EQ(build_schema(config).row_width(), 3u);
  EXPECT_EQ(build_schema(config).norm_limit(), 1.0);
}

TEST(Config, AColumnWithoutADeclarationIsRefusedAndToldHowToDeclareOne) {
  FitConfig config = two_columns();
  config.bounds.erase("age");
  const std::string feature = refusal([&] { build_schema(config); });
  EXPECT_NE(feature.find("bounds are never learnt from the data"), std::string::npos) << feature;
  EXPECT_NE(feature.find("--bound age=LO:HI or an entry age = [LO, HI] under [bounds]"), std::string::npos) << feature;
  EXPECT_NE(feature.find("--levels age=A|B"), std::string::npos) << feature;

  config = two_columns();
  config.bounds.erase("y");
  const std::string target = refusal([&] { build_schema(config); });
  EXPECT_NE(target.find("--bound y=LO:HI"), std::string::npos) << target;
  EXPECT_EQ(target.find("--levels"), std::string::npos) << target;
}

TEST(Config, ADeclarationForAColumnNobodyUsesIsRefused) {
  FitConfig config = two_columns();
  config.bounds["agge"] = {0.0, 1.0};
  EXPECT_EQ(refusal([&] { build_schema(config); }),
            "bound agge: declared for a column that is neither a feature nor the target; did you mean \"age\"?");
  config = two_columns();
  config.levels["colour"] = {"red", "blue"};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("levels colour: declared for a column"), std::string::npos);
}

TEST(Config, ContradictoryDeclarationsAreRefused) {
  FitConfig both = two_columns();
  both.levels["age"] = {"young", "old"};
  EXPECT_NE(refusal([&] { build_schema(both); }).find("both bounds and levels"), std::string::npos);
  FitConfig category = two_columns();
  category.levels["y"] = {"no", "yes"};
  EXPECT_NE(refusal([&] { build_schema(category); }).find("the target, which is a number"), std::string::npos);
  FitConfig twice = two_columns();
  twice.features = {"age", "age"};
  twice.levels.clear();
  EXPECT_NE(refusal([&] { build_schema(twice); }).find("declared twice"), std::string::npos);
  FitConfig itself = two_columns();
  itself.features = {"age", "job", "y"};
  EXPECT_NE(refusal([&] { build_schema(itself); }).find("column y: declared twice"), std::string::npos);
}

TEST(Config, TargetAndFeaturesMustBeSet) {
  FitConfig config = two_columns();
  config.target.reset();
  EXPECT_NE(refusal([&] { build_schema(config); }).find("target: not set"), std::string::npos);
  config = two_columns();
  config.features.reset();
  EXPECT_NE(refusal([&] { build_schema(config); }).find("features: not set"), std::string::npos);
}

}  // namespace
}  // namespace rivulet::stream
