#include "base/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace rivulet {
namespace {

TEST(ParseFinite, ReadsDecimalNumbersWithAnOptionalSign) {
  const std::pair<const char*, double> cases[] = {
      {"0", 0.0},         {"-0", -0.0},
      {"+1", 1.0},        {"1.", 1.0},
      {".5", 0.5},        {"-2.5e3", -2500.0},
      {"1E-2", 0.01},     {"007", 7.0},
      {"1e+2", 100.0},    {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"5e-324", 5e-324}, {"0e999999999999999999999", 0.0}};
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_finite(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, value) << text;
    EXPECT_EQ(std::signbit(*parsed), std::signbit(value)) << text;
  }
}

TEST(ParseFinite, RefusesEverythingElse) {
  for (const char* text : {"",      " ",   "+",      "-",     "+-1",    "-+1",   "++1",
                           "1 ",    " 1",  "1,5",    "1.2.3", "1e",     "e5",    ".",
                           "abc",   "1x",  "0x10",   "inf",   "-inf",   "+inf",  "Infinity",
                           "nan",   "NaN", "nan(1)", "1e400", "-1e400", "1e309", "1e99999999999999999999999",
                           "1_000", "١"}) {
    EXPECT_FALSE(parse_finite(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_finite(std::string_view("1\0", 2)).has_value());
  EXPECT_FALSE(parse_finite(std::string(400, '9')).has_value());
}

TEST(ParseFinite, ANumberTooSmallForADoubleIsZeroNotAnError) {
  const std::string tiny = "0." + std::string(400, '0') + "1";
  for (const std::string& text : {std::string("1e-400"), std::string("1e-99999999999999999999999"), tiny, "-" + tiny}) {
    ASSERT_TRUE(parse_finite(text).has_value()) << text;
    EXPECT_EQ(*parse_finite(text), 0.0) << text;
  }
  EXPECT_TRUE(std::signbit(*parse_finite("-1e-400")));
  const std::string balanced = "0." + std::string(400, '0') + "1e401";
  EXPECT_EQ(*parse_finite(balanced), 1.0);
}

TEST(ParseFinite, AgreesWithTheCLibraryOnRandomDoublesAndDecimals) {
  std::mt19937_64 random(20130101);
  for (int i = 0; i < 200000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    text.append(std::to_string(random() >> (random() % 64))).append(".");
    text.append(std::to_string(random() >> (random() % 64))).append("e");
    text.append(std::to_string(static_cast<int>(random() % 700) - 350));
    const double expected = std::strtod(text.c_str(), nullptr);
    const auto parsed = parse_finite(text);
    ASSERT_EQ(parsed.has_value(), std::isfinite(expected)) << text;
    ASSERT_EQ(parsed.value_or(0.0), std::isfinite(expected) ? expected : 0.0) << text;
  }
}

TEST(Shown, ReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1e-6, -60.0, 1e300, 3.0}) EXPECT_EQ(*parse_finite(shown(value)), value);
}

TEST(Shown, TextFitsOneLineOfATerminal) {
  EXPECT_EQ(shown("plain"), "\"plain\"");
  EXPECT_EQ(shown("a\nb\x1b[31m"), "\"a?b?[31m\"");
  EXPECT_LT(shown(std::string(1000, 'x')).size(), 70u);
}

TEST(Trimmed, RemovesSpacesAndTabsAroundOnly) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed("\na"), "\na");
}

TEST(MeansMissing, KnowsTheUsualWordsAndNoOthers) {
  for (const char* text : {"", "NA", "N/A", "NaN", "nan", "null", "NULL"}) EXPECT_TRUE(means_missing(text)) << text;
  for (const char* text : {"0", "none", "na ", "-", "missing", "inf"}) EXPECT_FALSE(means_missing(text)) << text;
}

}  // namespace
}  // namespace rivulet
