#include "stream/setting_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/refusal.h"

namespace rivulet::stream {
namespace {

using rivulet::testing::refusal;

TEST(SettingText, NumbersAreReadWholeOrRefusedWithFieldAndValue) {
  EXPECT_EQ(parse_number(" -2.5 ", "x"), -2.5);
  EXPECT_EQ(parse_positive("1e-6", "delta"), 1e-6);
  EXPECT_EQ(parse_positive_whole("100", "release-every"), 100u);
  EXPECT_EQ(refusal([] { parse_positive("-1", "epsilon"); }),
            "epsilon: \"-1\" is not accepted; accepted: a positive finite number, e.g. 1.5");
  for (const char* text : {"", "0", "-1", "inf", "nan", "1x", "1e400"}) {
    EXPECT_THROW(parse_positive(text, "epsilon"), RequestError) << text;
  }
  for (const char* text : {"", "0", "-1", "1.5", "1e3", "+1", "18446744073709551616"}) {
    EXPECT_THROW(parse_positive_whole(text, "release-every"), RequestError) << text;
  }
  EXPECT_TRUE(parse_switch("true", "intercept"));
  EXPECT_FALSE(parse_switch("false", "intercept"));
  EXPECT_THROW(parse_switch("yes", "intercept"), RequestError);
}

TEST(SettingText, ABoundIsANameAndAnInterval) {
  const auto [name, bounds] = parse_bound("age=18:90");
  EXPECT_EQ(name, "age");
  EXPECT_EQ(bounds.lo, 18.0);
  EXPECT_EQ(bounds.hi, 90.0);
  EXPECT_EQ(parse_bound(" a=b = -1e3 : +2.5").first, "a=b");
  EXPECT_EQ(parse_bound(" a=b = -1e3 : +2.5").second.hi, 2.5);
  for (const char* text : {"", "age", "age=", "=1:2", "age=1", "age=1:", "age=:2", "age=2:1", "age=1:1", "age=1:2:3",
                           "age=nan:1", "age=0:inf", "age 1:2"}) {
    EXPECT_THROW(parse_bound(text), RequestError) << text;
  }
  EXPECT_EQ(refusal([] { parse_bound("age=90:18", "--bound"); }),
            "--bound age: \"90:18\" is not accepted; accepted: lo:hi, two finite numbers with lo < hi, e.g. 18:90");
}

TEST(SettingText, LevelsAreANameAndTwoOrMoreDifferentWords) {
  const auto [name, levels] = parse_levels("carrier=AA|UA | DL");
  EXPECT_EQ(name, "carrier");
  EXPECT_EQ(levels, (std::vector<std::string>{"AA", "UA", "DL"}));
  EXPECT_EQ(parse_levels("c=a=1|a=2").second, (std::vector<std::string>{"a=1", "a=2"}));
  for (const char* text :
       {"", "carrier", "carrier=", "carrier=AA", "=AA|UA", "carrier=AA|", "carrier=AA||UA", "carrier=AA|UA|AA"}) {
    EXPECT_THROW(parse_levels(text), RequestError) << text;
  }
}

TEST(SettingText, NamesAreSeparatedByCommas) {
  EXPECT_EQ(parse_names("age, income"), (std::vector<std::string>{"age", "income"}));
  for (const char* text : {"", "age,", "age,age", ",age"}) EXPECT_THROW(parse_names(text), RequestError) << text;
}

TEST(SettingText, ADelimiterIsOneUsableCharacter) {
  EXPECT_EQ(parse_delimiter(";"), ';');
  EXPECT_EQ(parse_delimiter("tab"), '\t');
  EXPECT_EQ(parse_delimiter("\\t"), '\t');
  EXPECT_EQ(parse_delimiter("\t"), '\t');
  for (const char* text : {"", ";;", "\"", "\n", "\r"}) EXPECT_THROW(parse_delimiter(text), RequestError) << text;
}

TEST(SettingText, TreeDecodingReadsBackFromItsOwnWord) {
  for (const auto decoding : {TreeDecoding::optimal, TreeDecoding::paper}) {
    EXPECT_EQ(parse_tree_decoding(to_string(decoding)), decoding);
  }
  EXPECT_THROW(parse_tree_decoding("best"), RequestError);
}

TEST(SettingText, TheNearestWordIsASlipAwayOrThereIsNone) {
  constexpr std::array<std::string_view, 3> kWords{"release-every", "releases", "epsilon"};
  EXPECT_EQ(nearest("release_every", kWords), "release-every");
  EXPECT_EQ(nearest("espilon", kWords), "epsilon");
  EXPECT_EQ(nearest("release", kWords), "releases");
  EXPECT_EQ(nearest("horizon", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest(std::string(100000, 'e'), kWords), "");
}

}  // namespace
}  // namespace rivulet::stream
