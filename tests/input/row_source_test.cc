#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "base/number_text.h"
#include "input/byte_source.h"
#include "input/csv.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

Schema two_numbers() {
  Schema schema;
  return schema.feature("a", {-10.0, 10.0}).feature("b", {-10.0, 10.0}).target("y", {-10.0, 10.0});
}

Schema with_category(bool intercept) {
  Schema schema;
  schema.intercept(intercept)
      .feature("a", {0.0, 1.0})
      .categorical("c", {"red", "green", "NA"})
      .feature("b", {0.0, 1.0});
  return schema.target("y", {0.0, 1.0});
}

struct Reading {
  std::vector<Row> rows;
  OperatorTally tally;
};

Reading read_rows(const std::string& text, const Schema& schema, std::size_t piece = 5, RowSettings options = {}) {
  MemorySource source(text, piece);
  CsvRowSource rows(source, schema, options);
  Reading reading;
  Row row;
  while (rows.next(row)) reading.rows.push_back(row);
  reading.tally = rows.tally();
  return reading;
}

bool is_unusable(const Row& row) {
  bool all_nan = std::isnan(row.target);
  for (const double value : row.values) all_nan = all_nan && std::isnan(value);
  return all_nan;
}

template <typename Fault>
std::string fault_of(const std::string& text, const Schema& schema) {
  try {
    read_rows(text, schema);
  } catch (const Fault& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CsvRowSource, FindsColumnsByNameWhateverTheirOrderInTheFile) {
  const auto reading = read_rows("y,skip, b ,\"a\"\n1,text,2,3\n-1.5,,+2e1,\t4 \n", two_numbers());
  ASSERT_EQ(reading.rows.size(), 2u);
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{3.0, 2.0}));
  EXPECT_EQ(reading.rows[0].target, 1.0);
  EXPECT_EQ(reading.rows[1].values, (std::vector<double>{4.0, 20.0})) << "values are not clamped here";
  EXPECT_EQ(reading.rows[1].target, -1.5);
  EXPECT_EQ(reading.tally.unusable(), 0u);
}

TEST(CsvRowSource, WithAnInterceptTheFirstLevelIsAllZeros) {
  const auto reading = read_rows("a,c,b,y\n0.1,red,0.2,1\n0.1,green,0.2,1\n0.1,NA,0.2,1\n", with_category(true));
  ASSERT_EQ(reading.rows.size(), 3u);
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{0.1, 0.0, 0.0, 0.2}));
  EXPECT_EQ(reading.rows[1].values, (std::vector<double>{0.1, 1.0, 0.0, 0.2}));
  EXPECT_EQ(reading.rows[2].values, (std::vector<double>{0.1, 0.0, 1.0, 0.2}));
}

TEST(CsvRowSource, WithoutAnInterceptEveryLevelHasItsIndicator) {
  const auto reading = read_rows("a,c,b,y\n0.1, red ,0.2,1\n0.1,NA,0.2,1\n", with_category(false));
  ASSERT_EQ(reading.rows.size(), 2u);
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{0.1, 1.0, 0.0, 0.0, 0.2}));
  EXPECT_EQ(reading.rows[1].values, (std::vector<double>{0.1, 0.0, 0.0, 1.0, 0.2}));
}

TEST(CsvRowSource, ARowThatCannotBeUsedIsDeliveredAsNaNAndCounted) {
  const std::pair<const char*, std::uint64_t OperatorTally::*> cases[] = {
      {"1,,3", &OperatorTally::missing},
      {"1,  ,3", &OperatorTally::missing},
      {"NA,2,3", &OperatorTally::missing},
      {"1,2,NaN", &OperatorTally::missing},
      {"1,2,nan", &OperatorTally::missing},
      {"1,null,3", &OperatorTally::missing},
      {"1,two,3", &OperatorTally::not_a_number},
      {"1,2,1e400", &OperatorTally::not_a_number},
      {"-1e400,2,3", &OperatorTally::not_a_number},
      {"inf,2,3", &OperatorTally::not_a_number},
      {"1,-Infinity,3", &OperatorTally::not_a_number},
      {"1,2 2,3", &OperatorTally::not_a_number},
      {"1,0x2,3", &OperatorTally::not_a_number},
      {"1,2", &OperatorTally::ragged},
      {"1,2,3,4", &OperatorTally::ragged},
      {"1,\"2\"2,3", &OperatorTally::malformed},
  };
  for (const auto& [line, count] : cases) {
    const auto reading = read_rows("a,b,y\n7,8,9\n" + std::string(line) + "\n4,5,6\n", two_numbers());
    ASSERT_EQ(reading.rows.size(), 3u) << line;
    EXPECT_TRUE(is_unusable(reading.rows[1])) << line;
    EXPECT_EQ(reading.rows[1].values.size(), 2u) << line;
    EXPECT_EQ(reading.rows[2].values, (std::vector<double>{4.0, 5.0})) << line;
    EXPECT_EQ(reading.tally.rows, 3u) << line;
    EXPECT_EQ(reading.tally.unusable(), 1u) << line;
    EXPECT_EQ(reading.tally.*count, 1u) << line;
  }
}

TEST(CsvRowSource, AnUndeclaredLevelIsUnusableAndAnEmptyOneIsMissing) {
  const auto reading = read_rows("a,c,b,y\n0,blue,0,0\n0,,0,0\n0,RED,0,0\n0,red,0,0\n", with_category(true));
  EXPECT_EQ(reading.tally.unknown_level, 2u);
  EXPECT_EQ(reading.tally.missing, 1u);
  EXPECT_TRUE(is_unusable(reading.rows[0]));
  EXPECT_FALSE(is_unusable(reading.rows[3]));
}

TEST(CsvRowSource, ColumnsTheSchemaDoesNotNameMayHoldAnything) {
  const auto reading = read_rows("a,note,b,y,note\n1,\"x\"\"\n,\",2,3,\n", two_numbers());
  ASSERT_EQ(reading.rows.size(), 1u);
  EXPECT_FALSE(is_unusable(reading.rows[0]));
}

TEST(CsvRowSource, AnOverlongOrUnterminatedRecordIsOneUnusableRow) {
  RowSettings options;
  options.limits.record_limit = 20;
  const auto overlong = read_rows("a,b,y\n" + std::string(100, '1') + ",2,3\n4,5,6\n", two_numbers(), 3, options);
  EXPECT_EQ(overlong.tally.malformed, 1u);
  EXPECT_EQ(overlong.rows.size(), 2u);
  const auto unterminated = read_rows("a,b,y\n1,2,3\n1,\"2,3\n", two_numbers());
  EXPECT_EQ(unterminated.tally.malformed, 1u);
  EXPECT_EQ(unterminated.rows.size(), 2u);
}

TEST(CsvRowSource, AMissingColumnIsRefusedWithTheNamesTheHeaderHas) {
  EXPECT_EQ(fault_of<RequestError>("a,bb,y\n1,2,3\n", two_numbers()),
            "column b: not found in memory; the header has \"a\", \"bb\", \"y\"");
  EXPECT_EQ(fault_of<RequestError>("a,b\n1,2\n", two_numbers()),
            "column y: not found in memory; the header has \"a\", \"b\"");
}

TEST(CsvRowSource, AFileWithoutAHeaderNeverHasItsFirstRowShown) {
  const std::string fault = fault_of<RequestError>("41975,Smith,77\n1,2,3\n", two_numbers());
  EXPECT_NE(fault.find("accepted: a header line"), std::string::npos);
  EXPECT_EQ(fault.find("41975"), std::string::npos);
  EXPECT_EQ(fault.find("Smith"), std::string::npos);
  EXPECT_EQ(fault_of<RequestError>("Smith,London,secret\n1,2,3\n", two_numbers()).find("secret"), std::string::npos);
}

TEST(CsvRowSource, AColumnInUseThatStandsTwiceInTheHeaderIsRefused) {
  EXPECT_NE(fault_of<RequestError>("a,b,a,y\n", two_numbers()).find("column a: stands more than once"),
            std::string::npos);
  EXPECT_EQ(fault_of<RequestError>("a,b,z,z,y\n", two_numbers()), "accepted");
}

TEST(CsvRowSource, AFileWithOneColumnIsRefusedBecauseItsMissingValuesAreEmptyLines) {
  Schema schema;
  schema.target("y", {0, 1});
  EXPECT_NE(fault_of<RequestError>("y\n0.5\n\n0.25\n", schema).find("cannot be told from an empty line"),
            std::string::npos);
  const std::string row = fault_of<RequestError>("Smith 1:41975\n0 1:1\n", schema);
  EXPECT_NE(row.find("header: the first line of memory is one field"), std::string::npos);
  EXPECT_EQ(row.find("Smith"), std::string::npos) << "it may be a row";
}

TEST(CsvRowSource, WithoutAnyHeaderThereIsAClearFault) {
  for (const char* text : {"", "\n\r\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(fault_of<IoError>(text, two_numbers()), "memory: is empty; accepted: CSV with a header line");
  }
  EXPECT_NE(fault_of<IoError>("a,\"b,y\n1,2,3\n", two_numbers()).find("the header on line 1 is not valid CSV"),
            std::string::npos);
}

TEST(CsvRowSource, AHeaderAloneIsAStreamOfNoRows) {
  EXPECT_EQ(read_rows("a,b,y", two_numbers()).tally.rows, 0u);
}

TEST(CsvRowSource, RandomNumbersComeBackExactly) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::string text = "y,a,b\n";
  std::vector<double> expected;
  for (int i = 0; i < 20000; ++i) {
    for (int j = 0; j < 3; ++j) {
      expected.push_back(normal(random) * std::pow(10.0, static_cast<int>(random() % 40) - 20));
      text += shown(expected.back()) + (j == 2 ? "\r\n" : ",");
    }
  }
  const auto reading = read_rows(text, two_numbers(), 1000);
  ASSERT_EQ(reading.rows.size(), 20000u);
  for (std::size_t i = 0; i < reading.rows.size(); ++i) {
    ASSERT_EQ(reading.rows[i].target, expected[3 * i]);
    ASSERT_EQ(reading.rows[i].values[0], expected[3 * i + 1]);
    ASSERT_EQ(reading.rows[i].values[1], expected[3 * i + 2]);
  }
}

}  // namespace
}  // namespace rivulet::input
