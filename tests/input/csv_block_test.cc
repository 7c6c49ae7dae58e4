// Blocks of columns in a CSV header.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

#include "input/byte_source.h"
#include "input/csv.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

Schema with_block(std::size_t columns) {
  Schema schema;
  return schema.feature("age", {0.0, 100.0})
      .block("w", columns, {0.0, 1.0})
      .categorical("c", {"a", "b"})
      .target("y", {0.0, 1.0});
}

std::vector<Row> read_rows(const std::string& text, const Schema& schema, const RowSettings& options = {}) {
  MemorySource source(text, 5);
  CsvRowSource rows(source, schema, options);
  std::vector<Row> all;
  for (Row row; rows.next(row);) all.push_back(row);
  return all;
}

std::string refusal(const std::string& text, const Schema& schema, const RowSettings& options = {}) {
  try {
    read_rows(text, schema, options);
  } catch (const RequestError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CsvBlock, ItsColumnsAreFoundByNumberWhateverTheirOrder) {
  const auto rows =
      read_rows("w10,w2,y,c,w1,w3,w4,w5,w6,w7,w8,w9,age\n10,2,0.5,b,1,3,4,5,6,7,8,9,40\n", with_block(10));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].sparse);
  EXPECT_TRUE(rows[0].positions.empty());
  EXPECT_EQ(rows[0].values, (std::vector<double>{40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}));
}

TEST(CsvBlock, AMissingOrRepeatedColumnOfItIsNamed) {
  EXPECT_EQ(refusal("age,w1,w3,c,y\n", with_block(3)),
            "column w2: not found in memory; the header has \"age\", \"w1\", \"w3\", \"c\", \"y\"");
  EXPECT_NE(refusal("age,w1,w2,w2,c,y\n", with_block(2)).find("column w2: stands more than once"), std::string::npos);
  EXPECT_EQ(refusal("age,w1,w2,w3,w3,c,y\n", with_block(2)), "accepted") << "w3 is not of the block";
  EXPECT_NE(refusal("age,w01,w2,c,y\n", with_block(2)).find("column w1: not found"), std::string::npos);
}

TEST(CsvBlock, AHeaderOfBlockColumnsAloneIsKnownForAHeader) {
  Schema schema;
  schema.block("w", 3, {0.0, 1.0}).target("y", {0.0, 1.0});
  EXPECT_EQ(refusal("w1,w2\n1,2\n", schema), "column w3: not found in memory; the header has \"w1\", \"w2\"");
}

TEST(CsvBlock, AnUnusableCellOfItMakesTheWholeRowUnusable) {
  const auto rows = read_rows("age,w1,w2,c,y\n1,0,,a,1\n1,0,0.5,a,1\n", with_block(2));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].usable);
  for (const double value : rows[0].values) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(rows[1].usable);
}

TEST(CsvBlock, OneOfItsColumnsIsNoUnit) {
  EXPECT_EQ(refusal("age,w1,w2,c,y\n", with_block(2), {.unit_column = "w2"}),
            "unit: \"w2\" is a feature; accepted: a column that is neither a feature nor the target");
}

TEST(CsvBlock, ABlockFarWiderThanTheHeaderIsRefusedAtOnce) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(refusal("age,w1,w2,c,y\n", with_block(std::size_t{1} << 31)).find("column w3: not found"),
            std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

// 4000 look-ups that each went through the whole header would be 16 million comparisons of names.
TEST(CsvBlock, FourThousandColumnsInAnyOrderAreBoundInAMoment) {
  std::vector<std::size_t> order(4000);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i + 1;
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  std::string header = "age,c,y";
  std::string line = "40,a,0.25";
  for (const std::size_t number : order) {
    header += ",w" + std::to_string(number);
    line += "," + std::to_string(number);
  }
  const auto rows = read_rows(header + "\n" + line + "\n", with_block(4000));
  ASSERT_EQ(rows.size(), 1u);
  for (std::size_t i = 1; i <= 4000; ++i) ASSERT_EQ(rows[0].values[i], static_cast<double>(i));
}

}  // namespace
}  // namespace rivulet::input
