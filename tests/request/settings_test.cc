// The forms of values, settings put together, and the schema they declare.
#include "request/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "support/refusal.h"

namespace rivulet::request {
namespace {

using rivulet::testing::refusal;

Given of(const Json& value) {
  static const std::string field = "x";
  return {value, field};
}

TEST(Values, ANumberIsTheSameHoweverItIsWritten) {
  EXPECT_EQ(of(" -2.5 ").number(), -2.5);
  EXPECT_EQ(of(-2.5).number(), -2.5);
  EXPECT_EQ(of("100").positive_whole(), 100U);
  EXPECT_EQ(of(100).positive_whole(), 100U);
  EXPECT_EQ(of("18446744073709551615").whole(), ~std::uint64_t{0});
  for (const Json& value : {Json("0"), Json(0)}) {
    EXPECT_EQ(refusal([&] { (void)of(value).positive(); }),
              "x: 0 is not accepted; accepted: a positive finite number, e.g. 1.5");
  }
  for (const char* text : {"", "-1", "inf", "nan", "1x", "1e400"}) EXPECT_THROW((void)of(text).positive(), RequestError);
  for (const char* text : {"", "-1", "1.5", "1e3", "+1", "18446744073709551616", "0x1"}) {
    EXPECT_THROW((void)of(text).whole(), RequestError) << text;
  }
  for (const Json& value : {Json(true), Json(), Json::array(), Json(-1), Json(1.5)}) {
    EXPECT_THROW((void)of(value).whole(), RequestError) << value;
  }
}

TEST(Values, OfEveryOtherFormAreReadOrRefused) {
  EXPECT_EQ(of("18:90").interval().hi, 90.0);
  EXPECT_EQ(of(" -1e3 : +2.5").interval().lo, -1000.0);
  EXPECT_EQ(of(Json{18, 90}).interval().lo, 18.0);
  for (const Json& value : {Json("90:18"), Json("1"), Json("1:2:3"), Json("0:inf"), Json{1}, Json{1, 1}, Json{"0", 1}}) {
    EXPECT_THROW((void)of(value).interval(), RequestError) << value;
  }
  EXPECT_EQ(of("age, income").names(), (std::vector<std::string>{"age", "income"}));
  EXPECT_EQ(of(Json{"a,b"}).names(), (std::vector<std::string>{"a,b"}));
  for (const char* text : {"", "age,", "age,age", ",age"}) EXPECT_THROW((void)of(text).names(), RequestError) << text;
  EXPECT_FALSE(of("unbounded").horizon().is_known());
  EXPECT_EQ(of(7).horizon().steps(), 7U);
  EXPECT_EQ(of("tab").delimiter(), '\t');
  for (const char* text : {"", ";;", "\"", "\n", "\r"}) EXPECT_THROW((void)of(text).delimiter(), RequestError) << text;
  EXPECT_EQ(of("a:b:2").block(), (std::pair<std::string, std::uint64_t>("a:b", 2)));
  for (const char* text : {"w", ":7", "w:0", "w:many"}) EXPECT_THROW((void)of(text).block(), RequestError) << text;
}

TEST(Values, ClassesAreTwoDifferentTextsOrNumbers) {
  EXPECT_EQ(of(Json{0, 1}).classes(), (ClassNames{"0", "1"}));
  EXPECT_EQ(of(Json{-1.5, 1}).classes(), (ClassNames{"-1.5", "1"}));
  EXPECT_EQ(of("no, yes").classes(), (ClassNames{"no", "yes"}));
  EXPECT_EQ(of("no, thanks|yes, please").classes(), (ClassNames{"no, thanks", "yes, please"}));
  EXPECT_EQ(of(Json{"a,b", "c|d"}).classes(), (ClassNames{"a,b", "c|d"}));
  for (const Json& value : {Json("a"), Json("a,b,c"), Json("a,a"), Json("a,"), Json(""), Json{0, 0.0}, Json("1,1.0"),
                            Json{1, 2, 3}, Json(3), Json{true, false}, Json::array()}) {
    EXPECT_NE(refusal([&] { (void)of(value).classes(); }).find("the negative one first"), std::string::npos) << value;
  }
}

TEST(Values, TheNearestWordIsASlipAwayOrThereIsNone) {
  constexpr std::array<std::string_view, 3> kWords{"release-every", "releases", "epsilon"};
  EXPECT_EQ(nearest("release_every", kWords), "release-every");
  EXPECT_EQ(nearest("flavour", kWords), "");
  EXPECT_EQ(nearest(std::string(200, 'e'), kWords), "");
}

TEST(SettingTable, EveryKeyStandsOnceAndHasAHelpText) {
  std::set<std::string_view> keys;
  std::set<std::string_view> stored;
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    EXPECT_FALSE(setting.help.empty()) << setting.key;
    EXPECT_NE(setting.read, nullptr) << setting.key;
    EXPECT_EQ(setting.write != nullptr, setting.scope == Scope::request) << setting.key;
    EXPECT_EQ(setting.stored.path.empty(), setting.scope != Scope::request) << setting.key;
    EXPECT_TRUE(setting.stored.path.empty() || stored.insert(setting.stored.path).second) << setting.key;
    EXPECT_EQ(setting.no_help.empty(), setting.shape != Shape::toggle) << setting.key;
  }
}

Settings two_columns() {
  return Json::parse(R"({"target": "y", "features": ["age", "job"], "bounds": {"age": [18, 90], "y": [0, 1]},
                         "levels": {"job": ["none", "some"]}})");
}

TEST(Merge, WhatIsTypedWins) {
  Settings file = two_columns();
  file.update(Json::parse(R"({"epsilon": 1, "delta": 1e-6, "only-if": ["l1<=1", "age=18:65"], "block": ["w:2", "x:3"]})"));
  const Settings merged = merge(file, Json::parse(R"({"epsilon": "0.1", "bounds": {"age": "0:120"}, "only-if": ["l1<=2"],
                                                      "block": ["x:4", "z:1"]})"));
  EXPECT_EQ(merged["epsilon"], "0.1");
  EXPECT_EQ(merged["delta"], 1e-6);
  EXPECT_EQ(merged["bounds"]["age"], "0:120");
  EXPECT_EQ(merged["bounds"]["y"], (Json{0, 1}));
  EXPECT_EQ(merged["only-if"], Json{"l1<=2"});
  EXPECT_EQ(merged["block"], (Json{"w:2", "x:4", "z:1"}));
  EXPECT_EQ(merge(file, Json::object()), file);
}

TEST(Merge, OfAColumnAndOfTheTargetTheLastWordCounts) {
  const Settings merged =
      merge(two_columns(), Json::parse(R"({"bounds": {"job": "0:3"}, "levels": {"age": ["young", "old"]}})"));
  EXPECT_FALSE(merged["levels"].contains("job"));
  EXPECT_FALSE(merged["bounds"].contains("age"));
  EXPECT_NO_THROW(schema_from(merged));
  const Settings classes = merge(two_columns(), Json::parse(R"({"classes": "no,yes"})"));
  EXPECT_FALSE(classes["bounds"].contains("y"));
  EXPECT_TRUE(schema_from(classes).has_classes());
  EXPECT_FALSE(merge(classes, Json::parse(R"({"bounds": {"y": "2:3"}})")).contains("classes"));
}

TEST(Merge, AMechanismASketchOrARuleUndoesWhatItContradicts) {
  const Settings erm = Json::parse(R"({"mechanism": "erm", "tau": 3, "ridge": 0.5, "iterations": 4})");
  EXPECT_FALSE(merge(erm, Json{{"tau-rule", "width"}}).contains("tau"));
  for (const char* mechanism : {"full", "surrogate", "trivial"}) {
    EXPECT_EQ(merge(erm, Json{{"mechanism", mechanism}}).size(), 1U) << mechanism;
  }
  const Settings naive = merge(erm, Json{{"mechanism", "naive"}});
  EXPECT_FALSE(naive.contains("tau"));
  EXPECT_EQ(naive["iterations"], 4);
  const Settings sketch = Json::parse(R"({"mechanism": "sketch", "sketch": 12, "sketch-seed": 5})");
  EXPECT_EQ(merge(sketch, Json{{"mechanism", "erm"}}).size(), 1U);
  const Settings resized = merge(sketch, Json{{"sketch", 9}});
  EXPECT_FALSE(resized.contains("mechanism"));
  EXPECT_EQ(resized["sketch-seed"], 5);
  EXPECT_EQ(merge(Json{{"strategy", "tree"}}, Json::parse(R"({"mechanism": "erm", "strategy": "hybrid"})"))["strategy"],
            "hybrid")
      << "typed beside it, a contradiction to be refused";
}

TEST(Columns, TheSchemaHasTheFeaturesInTheirOrderAndReadsBack) {
  Settings given = two_columns();
  EXPECT_EQ(schema_from(given).coordinate_names(), (std::vector<std::string>{"(intercept)", "age", "job=some"}));
  given["intercept"] = false;
  given["clip-norm"] = 1;
  EXPECT_EQ(schema_from(given).norm_limit(), 1.0);
  given["block"] = "w:40";
  given["bounds"]["w"] = {-1, 1};
  given["classes"] = {2, -3};
  given["bounds"].erase("y");
  const Schema schema = schema_from(given);
  EXPECT_EQ(class_names(schema), (ClassNames{"2", "-3"})) << "the negative class may be the larger number";
  EXPECT_EQ(settings_of(schema_from(settings_of(schema))), settings_of(schema));
  EXPECT_TRUE(schema_from(merge(given, Json{{"classes", {"1e400", "1"}}})).class_words()) << "what is no number is a word";
}

TEST(Columns, BlocksFollowTheListedFeaturesUnlessListedThemselves) {
  Settings given = Json::parse(R"({"features": ["age"], "block": ["w:2", "x:3"]})");
  EXPECT_EQ(feature_names(given), (std::vector<std::string>{"age", "w", "x"}));
  given["features"] = {"x", "age"};
  EXPECT_EQ(feature_names(given), (std::vector<std::string>{"x", "age", "w"}));
  const Settings dimension = with_dimension(Json{{"dimension", 7}});
  EXPECT_EQ(dimension["block"], Json{"x:7"});
  EXPECT_EQ(dimension["target"], "y");
  EXPECT_EQ(with_dimension(Json::parse(R"({"dimension": 7, "target": "score"})"))["target"], "score");
  EXPECT_EQ(refusal([] { with_dimension(Json::parse(R"({"dimension": 7, "block": "x:7"})")); }),
            "dimension: is short for the block x, and a block x is declared; accepted: one of the two");
}

TEST(Columns, WhatIsMissingUnusedOrContradictoryIsNamed) {
  const auto with = [](const char* change) { return refusal([&] { schema_from(merge(two_columns(), Json::parse(change))); }); };
  const auto without = [](const char* key, const char* column = "") {
    Settings given = two_columns();
    if (*column != '\0') {
      given[key].erase(column);
    } else {
      given.erase(key);
    }
    return refusal([&] { schema_from(given); });
  };
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(without("target"), "target: not given");
  expect(without("features"), "features: not given");
  expect(without("bounds", "age"), "bounds age: not declared; bounds are never learnt from the data");
  expect(without("bounds", "age"), "or for categories levels age=A|B");
  expect(without("bounds", "y"), "classes=NEGATIVE,POSITIVE");
  EXPECT_EQ(with(R"({"bounds": {"agge": "0:1"}})"),
            "bounds agge: declared for a column that is neither a feature nor the target; did you mean \"age\"?");
  expect(with(R"({"levels": {"colour": ["red", "blue"]}})"), "levels colour: declared for a column");
  expect(with(R"({"features": ["age", "job", "y"]})"), "column y: declared twice");
  expect(with(R"({"levels": {"y": ["no", "yes"]}})"), "levels y: declared for the target");
  expect(with(R"({"block": "w:2"})"), "bounds w: not declared");
  expect(with(R"({"block": "w:2", "levels": {"w": ["a", "b"]}})"), "levels w: declared for a block");
  expect(with(R"({"block": "w:2", "bounds": {"w": "0:1", "w1": "0:1"}})"), "bounds w1: declared for a column that is neither");
  Settings both = two_columns();
  both["levels"]["age"] = {"young", "old"};
  expect(refusal([&] { schema_from(both); }), "both bounds and levels");
  both = two_columns();
  both["classes"] = "0,1";
  expect(refusal([&] { schema_from(both); }), "bounds y: declared for a target of two classes");
}

}  // namespace
}  // namespace rivulet::request
