// The grammar of libsvm rows: every short text, and long random ones, against a slow reading.
#include <gtest/gtest.h>

#include <random>

#include "base/number_text.h"
#include "input/libsvm_reference.h"
#include "input/resumable_rows.h"

namespace rivulet::input {
namespace {

using testing::fast_rows;
using testing::LibsvmReference;
using testing::LibsvmRow;
using testing::reference_rows;
using testing::shown_rows;
using testing::visible;

void expect_as_reference(std::string_view text, const LibsvmReference& wanted, std::size_t piece, std::size_t block) {
  const auto expected = reference_rows(text, wanted);
  const auto rows = fast_rows(text, wanted, piece, block);
  ASSERT_EQ(rows, expected) << visible(text) << " in pieces of " << piece << "\n  gave     " << shown_rows(rows)
                            << "\n  expected " << shown_rows(expected);
}

// Every text of at most `longest` characters.
template <typename Check>
void for_every_text(std::string_view alphabet, std::size_t longest, Check check) {
  for (std::size_t length = 0; length <= longest; ++length) {
    std::vector<std::size_t> digits(length, 0);
    std::string text(length, alphabet[0]);
    while (true) {
      check(text);
      if (::testing::Test::HasFatalFailure()) return;
      std::size_t place = 0;
      while (place < length && ++digits[place] == alphabet.size()) digits[place++] = 0;
      if (place == length) break;
      for (std::size_t i = 0; i < length; ++i) text[i] = alphabet[digits[i]];
    }
  }
}

TEST(LibsvmGrammar, EveryShortTextIsDividedIntoTheSameRowsHoweverItIsCut) {
  for_every_text("1: #\n\r", 6, [](const std::string& text) {
    expect_as_reference(text, {.columns = 1}, 1 + text.size() % 3, 1 + text.size() % 2);
  });
}

TEST(LibsvmGrammar, EveryShortRowMeansWhatTheSlowReadingSays) {
  for_every_text("012:.-", 5, [](const std::string& text) {
    expect_as_reference("1 " + text, {.columns = 12}, 1000, 16);
    expect_as_reference("1 1:5 " + text + " 12:7", {.columns = 12}, 3, 16);
  });
}

TEST(LibsvmGrammar, EveryShortLabelMeansWhatTheSlowReadingSays) {
  for_every_text("15e+-.:", 4, [](const std::string& text) {
    expect_as_reference(text + " 1:1\n", {}, 1000, 16);
    expect_as_reference(text + "\n", {.needs_target = false}, 2, 16);
  });
}

TEST(LibsvmGrammar, EveryOrderOfWordsMeansWhatTheSlowReadingSays) {
  const std::vector<std::string> words = {"1", "-2.5", "1:1",  "2:0", "3:1e400", "4:1", "0:1", "qid:7",
                                          "#", "NA",   "qid:", "1:",  "2:NA",    ":1",  "x:1", "qid:NA"};
  for (const auto& wanted : {LibsvmReference{}, LibsvmReference{.needs_unit = true},
                             LibsvmReference{.needs_target = false, .needs_unit = true}}) {
    for (const std::string& first : words) {
      for (const std::string& second : words) {
        for (const std::string& third : words) {
          for (const std::string& fourth : words) {
            const std::string line = first + " " + second + "\t" + third + "  " + fourth;
            ASSERT_NO_FATAL_FAILURE(expect_as_reference(line, wanted, 1000, 64));
          }
        }
      }
    }
  }
}

TEST(LibsvmGrammar, LongRandomTextIsReadAsTheSlowReadingDoes) {
  std::mt19937_64 random(11);
  const std::vector<std::string> separators = {" ", "\t", "  ", " \t "};
  const std::vector<std::string> ends = {"\n", "\r\n", "\r", "\n\n", "\n # a comment: 1:2\n", " # 1:1\n", "#\n"};
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  for (int round = 0; round < 200; ++round) {
    const LibsvmReference wanted{.columns = 1 + random() % 300,
                                 .needs_target = random() % 4 != 0,
                                 .needs_unit = random() % 4 == 0,
                                 .limit = 1 + random() % 400};
    std::string text = random() % 5 == 0 ? "\xEF\xBB\xBF" : "";
    for (std::size_t rows = random() % 60; rows > 0; --rows) {
      text += random() % 20 == 0 ? "" : std::to_string(static_cast<int>(random() % 200) - 100);
      if (random() % 3 == 0) text += pick(separators) + "qid:" + std::to_string(random() % 9);
      std::size_t index = 0;
      while (random() % 12 != 0) {
        index += random() % 30;
        text += pick(separators) + std::to_string(index) + ":" + shown(static_cast<double>(random()) / 1e19);
        if (random() % 100 == 0) text += "x";
      }
      text += pick(ends);
    }
    if (random() % 2 == 0) text += "1 1:0.5";
    ASSERT_NO_FATAL_FAILURE(expect_as_reference(text, wanted, 1 + random() % 200, 1 + random() % 100));
    for (const std::size_t piece : {1, 2, 3}) {
      ASSERT_NO_FATAL_FAILURE(expect_as_reference(text, wanted, piece, 1 + random() % 5));
    }
  }
}

TEST(LibsvmGrammar, RandomBytesOfTheGrammarAreReadAsTheSlowReadingDoes) {
  std::mt19937_64 random(12);
  constexpr std::string_view kAlphabet = "0123456789::::    \t#\n\n\r.-+eqid:NA";
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t length = random() % 300; text.size() < length;) text += kAlphabet[random() % kAlphabet.size()];
    const LibsvmReference wanted{
        .columns = 1 + random() % 100, .needs_unit = random() % 2 == 0, .limit = 1 + random() % 60};
    ASSERT_NO_FATAL_FAILURE(expect_as_reference(text, wanted, 1 + random() % 40, 1 + random() % 40));
  }
}

TEST(LibsvmGrammar, RandomNumbersComeBackExactly) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::string text;
  std::vector<double> expected;
  for (int i = 0; i < 20000; ++i) {
    for (int j = 0; j < 3; ++j) {
      expected.push_back(normal(random) * std::pow(10.0, static_cast<int>(random() % 40) - 20));
      text += (j == 0 ? "" : " " + std::to_string(j) + ":") + shown(expected.back());
    }
    text += "\r\n";
  }
  const auto rows = fast_rows(text, {}, 1000, 4096);
  ASSERT_EQ(rows.size(), 20000u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].target, expected[3 * i]);
    ASSERT_EQ(rows[i].values, (std::vector<double>{expected[3 * i + 1], expected[3 * i + 2]}));
  }
}

}  // namespace
}  // namespace rivulet::input
