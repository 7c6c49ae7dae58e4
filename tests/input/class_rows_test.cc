// Rows whose target is one of two classes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "input/byte_source.h"
#include "input/csv.h"
#include "input/libsvm_reference.h"
#include "input/row_source.h"
#include "support/refusal.h"

namespace rivulet::input {
namespace {

using testing::libsvm_rows;

using rivulet::testing::refusal;

Schema with_words(const std::string& negative, const std::string& positive) {
  Schema schema;
  return schema.feature("x", {0.0, 1.0}).classes("y", negative, positive);
}

Schema with_numbers(double negative, double positive) {
  Schema schema;
  return schema.feature("x", {0.0, 1.0}).classes("y", negative, positive);
}

struct Reading {
  std::vector<double> targets;  // no number where the row is unusable
  OperatorTally tally;
};

template <typename Source>
Reading drain(Source& rows) {
  Reading reading;
  Row row;
  while (rows.next(row)) {
    EXPECT_EQ(row.usable, !std::isnan(row.target));
    reading.targets.push_back(row.target);
  }
  reading.tally = rows.tally();
  return reading;
}

Reading read_csv(const std::string& text, const Schema& schema) {
  MemorySource source(text, 5);
  CsvRowSource rows(source, schema);
  return drain(rows);
}

void expect_targets(const Reading& reading, const std::vector<double>& expected) {
  ASSERT_EQ(reading.targets.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(reading.targets[i] == expected[i] || (std::isnan(reading.targets[i]) && std::isnan(expected[i])))
        << "row " << i << ": " << reading.targets[i];
  }
}

constexpr double kUnusable = std::numeric_limits<double>::quiet_NaN();

TEST(ClassRows, WordsStandAsZeroAndOneAndOtherTextMakesTheRowUnusable) {
  const Reading reading =
      read_csv("x,y\n0.5,no\n0.5,yes\n0.5, yes \n0.5,\"no\"\n0.5,maybe\n0.5,Yes\n0.5,\n0.5,NA\n0.5,0\n0.5,1\n",
               with_words("no", "yes"));
  expect_targets(reading, {0, 1, 1, 0, kUnusable, kUnusable, kUnusable, kUnusable, kUnusable, kUnusable});
  EXPECT_EQ(reading.tally.unknown_level, 4u);
  EXPECT_EQ(reading.tally.missing, 2u);
}

TEST(ClassRows, WordsMayHoldCommasBlanksAndWhatElsewhereMeansMissing) {
  expect_targets(read_csv("x,y\n1,\"no, thanks\"\n1,NA\n1,null\n1,\"no,thanks\"\n", with_words("no, thanks", "NA")),
                 {0, 1, kUnusable, kUnusable});
  expect_targets(read_csv("x,y\n1,a b\n1,b\n", with_words("a b", " b")), {0, kUnusable});
}

TEST(ClassRows, NumbersAreComparedAsNumbers) {
  const Reading reading =
      read_csv("x,y\n1,0\n1,0.0\n1,-0\n1,1\n1,+1.00\n1,1e0\n1,0.5\n1,2\n1,yes\n1,\n", with_numbers(0.0, 1.0));
  expect_targets(reading, {0, 0, 0, 1, 1, 1, kUnusable, kUnusable, kUnusable, kUnusable});
  EXPECT_EQ(reading.tally.unknown_level, 2u);
  EXPECT_EQ(reading.tally.not_a_number, 1u);
  EXPECT_EQ(reading.tally.missing, 1u);
  expect_targets(read_csv("x,y\n1,-3\n1,2\n1,0\n", with_numbers(2.0, -3.0)), {-3, 2, kUnusable});
}

TEST(ClassRows, WithoutATargetToReadTheColumnIsNotLookedAt) {
  MemorySource source("x,y\n1,whatever\n");
  CsvRowSource rows(source, with_words("no", "yes"), RowSettings{.needs_target = false});
  Row row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_TRUE(row.usable);
}

TEST(ClassRows, LibsvmLabelsAreNumbers) {
  Schema schema;
  schema.block("x", 3, {0.0, 1.0}).classes("y", -1.0, 1.0);
  MemorySource source("+1 1:1\n-1 2:0.5\n0 1:1\n2\n1.0\n# nothing\n");
  const auto rows_opened = libsvm_rows(source, schema);
  RowSource& rows = *rows_opened;
  const Reading reading = drain(rows);
  expect_targets(reading, {1, -1, kUnusable, kUnusable, 1});
  EXPECT_EQ(reading.tally.unknown_level, 2u);

  Schema words;
  words.block("x", 3, {0.0, 1.0}).classes("y", "no", "yes");
  const std::string message = refusal([&] { libsvm_rows(source, words); });
  EXPECT_NE(message.find("classes: \"no\" and \"yes\" are words"), std::string::npos) << message;
  EXPECT_NE(message.find("accepted: two numbers"), std::string::npos) << message;
  EXPECT_NO_THROW(libsvm_rows(source, words, {.needs_target = false})) << "a prediction needs no label it can read";
}

}  // namespace
}  // namespace rivulet::input
