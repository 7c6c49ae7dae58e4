#include "request/toml_file.h"

#include <gtest/gtest.h>

#include <string>

#include "support/refusal.h"

namespace rivulet::request {
namespace {

using rivulet::testing::refusal;

std::string config_refusal(const std::string& text) {
  return refusal([&] { parse_toml_settings(text, "my.toml"); });
}

Settings parsed(const std::string& text) {
  return parse_toml_settings(text, "my.toml");
}

TEST(TomlFile, ValuesAreThoseOfTheFile) {
  const Settings settings = parsed(R"(
input = "rows.csv.gz"
target = "y"
features = ["age", "job"]
intercept = false
clip-norm = 2
delta = 1e-9
horizon = 1000
only-if = ["nonzeros<=5", "age=18:65"]
classes = ["no", 2.5]
[bounds]
age = [18, 90.5]
y = "-1e3:+2"
[levels]
job = ["none", "some"]
)");
  EXPECT_EQ(settings, Json::parse(R"({"input": "rows.csv.gz", "target": "y", "features": ["age", "job"],
      "intercept": false, "clip-norm": 2, "delta": 1e-9, "horizon": 1000, "only-if": ["nonzeros<=5", "age=18:65"],
      "classes": ["no", 2.5], "bounds": {"age": [18, 90.5], "y": "-1e3:+2"}, "levels": {"job": ["none", "some"]}})"));
  EXPECT_TRUE(parsed("").empty());
  EXPECT_EQ(parsed("only-if = [' l1 <= x ']")["only-if"][0], " l1 <= x ") << "as it is written";
}

TEST(TomlFile, AnUnknownKeyIsRefusedWithItsLineAndTheNearestKey) {
  EXPECT_EQ(config_refusal("epsilon = 1\nrelease_every = 100\n"),
            "release_every: there is no such setting; did you mean \"release-every\"? (my.toml, line 2)");
  const std::string far = config_refusal("\n\nflavour = 1\n");
  EXPECT_NE(far.find("flavour: there is no such setting; accepted: input, format, target"), std::string::npos)
      << far;
  EXPECT_NE(far.find("(my.toml, line 3)"), std::string::npos) << far;
  EXPECT_NE(config_refusal("[bound]\nage = [1, 2]\n").find("did you mean \"bounds\"?"), std::string::npos);
}

TEST(TomlFile, AWrongTypeIsRefusedWithTheValueAndWhatIsAccepted) {
  EXPECT_EQ(config_refusal("epsilon = \"one\""),
            "epsilon: \"one\" is not accepted; accepted: a positive finite number, e.g. 1.5 (my.toml, line 1)");
  EXPECT_EQ(config_refusal("release-every = 1.5"),
            "release-every: 1.5 is not accepted; accepted: a positive whole number, e.g. 100 (my.toml, line 1)");
  EXPECT_EQ(config_refusal("intercept = 1"),
            "intercept: 1 is not accepted; accepted: true or false (my.toml, line 1)");
  EXPECT_EQ(config_refusal("strategy = \"forest\""),
            "strategy: \"forest\" is not accepted; accepted: blt, tree, hybrid (my.toml, line 1)");
  EXPECT_NE(config_refusal("features = [1, 2]").find("features: 1 is not accepted"), std::string::npos);
  EXPECT_NE(config_refusal("target = 2013-01-01").find("target: a date or time is not accepted"), std::string::npos);
  EXPECT_NE(config_refusal("bounds = 3").find("bounds: 3 is not accepted; accepted: a table"), std::string::npos);
}

TEST(TomlFile, AValueOutOfRangeIsRefused) {
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
                           "model = 1",
                           "model = \"\"",
                           "only-if = \"\"",
                           "only-if = [\"l1<=2\", \"\"]",
                           "only-if = [1]",
                           "only-if = true",
                           "unit = [\"a\"]",
                           "unit = \"\"",
                           "max-rows-per-unit = 0",
                           "max-rows-per-unit = 2.5",
                           "whole-steps = 1",
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

TEST(TomlFile, ABadBoundNamesItsColumnAndLine) {
  EXPECT_EQ(config_refusal("[bounds]\nb = [0, 1]\nage = [90, 18]\n"),
            "bounds age: 90:18 is not accepted; accepted: lo:hi or [lo, hi], two finite numbers with lo < hi, e.g. 18:90 "
            "(my.toml, line 3)");
}

TEST(TomlFile, TextThatIsNotTomlIsRefusedWithItsLineInOneLine) {
  for (const char* text :
       {"epsilon 1", "epsilon = 1\nepsilon = 2\n", "a = ", "[bounds", "= 3", "x = [1, 2", "x = \"abc"}) {
    const std::string message = config_refusal(text);
    EXPECT_NE(message.find("config: my.toml, line "), std::string::npos) << text << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << text << " -> " << message;
  }
  EXPECT_NE(config_refusal("epsilon = 1\n\nrelease-every 5\n").find("line 3"), std::string::npos)
      << config_refusal("epsilon = 1\n\nrelease-every 5\n");
}

TEST(TomlFile, NestingWithoutEndIsRefusedNotFollowed) {
  EXPECT_NE(config_refusal("x = " + std::string(100000, '[')).find("nested too deeply"), std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_NE(config_refusal(dotted + " = 1").find("nested too deeply"), std::string::npos);
}

TEST(TomlFile, TextThatIsNotUtf8IsRefusedWithItsLine) {
  for (const std::string bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_NE(config_refusal("epsilon = 1\ntarget = '" + bad + "'\n").find("config: my.toml, line 2: not UTF-8"),
              std::string::npos);
  }
  EXPECT_NE(config_refusal(std::string("a = 1\0", 6)).find("a control character"), std::string::npos);
  EXPECT_EQ(parse_toml_settings("target = 'Größe €𝄞'", "my.toml")["target"], "Größe €𝄞");
}

TEST(TomlFile, AFileThatCannotBeReadIsAnIoError) {
  EXPECT_THROW(read_toml_file("/nowhere/my.toml"), IoError);
}

}  // namespace
}  // namespace rivulet::request
