// What a row source can be asked for beside features and target: no target, and whose row it is.
#include <gtest/gtest.h>

#include <cmath>

#include "input/byte_source.h"
#include "input/csv.h"
#include "support/refusal.h"

namespace rivulet::input {
namespace {

using rivulet::testing::refusal;

Schema one_number() {
  Schema schema;
  return schema.feature("a", {-10.0, 10.0}).target("y", {-10.0, 10.0});
}

struct Reading {
  std::vector<Row> rows;
  OperatorTally tally;
};

Reading read_rows(const std::string& text, const RowSettings& options) {
  MemorySource source(text, 5);
  CsvRowSource rows(source, one_number(), options);
  Reading reading;
  Row row;
  while (rows.next(row)) reading.rows.push_back(row);
  reading.tally = rows.tally();
  return reading;
}

TEST(CsvRowSourceWithoutTarget, TheTargetColumnNeedNotBeThere) {
  const Reading reading = read_rows("a,b\n1,2\nx,2\n", {.needs_target = false});
  ASSERT_EQ(reading.rows.size(), 2u);
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{1.0}));
  EXPECT_TRUE(reading.rows[0].usable);
  EXPECT_TRUE(std::isnan(reading.rows[0].target));
  EXPECT_FALSE(reading.rows[1].usable);
  EXPECT_TRUE(std::isnan(reading.rows[1].values[0]));
}

TEST(CsvRowSourceWithoutTarget, ATargetThatIsThereIsNotLookedAt) {
  const Reading reading = read_rows("y,a,y\nnone,1,\n7,2,8\n", {.needs_target = false});
  EXPECT_EQ(reading.tally.unusable(), 0u);
  for (const Row& row : reading.rows) EXPECT_TRUE(std::isnan(row.target));
}

TEST(CsvRowSourceWithoutTarget, WithATargetItsColumnIsNeededStill) {
  EXPECT_EQ(refusal([] { read_rows("a,b\n1,2\n", {}); }), "column y: not found in memory; the header has \"a\", \"b\"");
}

TEST(CsvRowSourceWithUnits, EveryRowSaysWhoseItIsWithoutTheBlanksAround) {
  const Reading reading =
      read_rows("who,a,y\nanna,1,2\n\tJosé B. ,3,4\n\" x,\"\"y\"\" \",5,6\n", {.unit_column = "who"});
  ASSERT_EQ(reading.rows.size(), 3u);
  EXPECT_EQ(reading.rows[0].unit, "anna");
  EXPECT_EQ(reading.rows[1].unit, "José B.");
  EXPECT_EQ(reading.rows[2].unit, "x,\"y\"");
  EXPECT_EQ(reading.rows[2].values[0], 5.0);
  EXPECT_EQ(reading.tally.unusable(), 0u);
}

TEST(CsvRowSourceWithUnits, ARowThatDoesNotSayWhoseItIsCannotBeUsed) {
  for (const char* cell : {"", "  ", "NA", "N/A", "null", "NULL", " nan\t", "NaN", "\"\""}) {
    const Reading reading =
        read_rows("a,y,who\n1,2,anna\n3,4," + std::string(cell) + "\n5,6,ben\n", {.unit_column = "who"});
    ASSERT_EQ(reading.rows.size(), 3u) << cell;
    EXPECT_FALSE(reading.rows[1].usable) << cell;
    EXPECT_TRUE(std::isnan(reading.rows[1].target) && std::isnan(reading.rows[1].values[0])) << cell;
    EXPECT_EQ(reading.rows[1].unit, "") << cell;
    EXPECT_EQ(reading.tally.missing_unit, 1u) << cell;
    EXPECT_EQ(reading.tally.unusable(), 1u) << cell;
    EXPECT_EQ(reading.rows[2].unit, "ben") << cell;
  }
}

TEST(CsvRowSourceWithUnits, ARowUnusableForAnotherReasonIsStillSomebodys) {
  const Reading reading = read_rows("who,a,y\nanna,,2\nben,1\ncleo,\"1\"1,2\n", {.unit_column = "who"});
  ASSERT_EQ(reading.rows.size(), 3u);
  EXPECT_EQ(reading.rows[0].unit, "anna");
  EXPECT_EQ(reading.tally.missing, 1u);
  EXPECT_EQ(reading.rows[1].unit, "") << "in a ragged row no field can be told from another";
  EXPECT_EQ(reading.rows[2].unit, "");
  EXPECT_EQ(reading.tally.missing_unit, 0u);
}

TEST(CsvRowSourceWithUnits, TheMemoryOfTheIdentifierIsUsedAgain) {
  const std::string text = "who,a,y\n" + std::string(100, 'x') + ",1,2\n" + std::string(90, 'z') + ",1,2\n";
  MemorySource source(text);
  CsvRowSource rows(source, one_number(), RowSettings{.unit_column = "who"});
  Row row;
  ASSERT_TRUE(rows.next(row));
  const char* const before = row.unit.data();
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.unit.data(), before);
  EXPECT_EQ(row.unit, std::string(90, 'z'));
}

TEST(CsvRowSourceWithUnits, TheUnitColumnIsInTheHeaderOnceAndIsNothingElse) {
  const auto refused = [](const std::string& header, const std::string& unit) {
    return refusal([&] { read_rows(header + "\n1,2,3\n", {.unit_column = unit}); });
  };
  EXPECT_EQ(refused("a,y,who", "a"),
            "unit: \"a\" is a feature; accepted: a column that is neither a feature nor the target");
  EXPECT_EQ(refused("a,y,who", "y"),
            "unit: \"y\" is the target; accepted: a column that is neither a feature nor the target");
  EXPECT_EQ(refused("a,y,", ""), "unit: \"\" is not a name; accepted: the name of a column");
  EXPECT_EQ(refused("a,y,who", "whom"), "column whom: not found in memory; the header has \"a\", \"y\", \"who\"");
  EXPECT_NE(refused("a,y,who,who", "who").find("stands more than once"), std::string::npos);
  EXPECT_EQ(refusal([] { read_rows("a,y,who\n", {.needs_target = false, .unit_column = "y"}); }).substr(0, 5), "unit:");
}

TEST(OperatorTally, AddsUpCountByCount) {
  OperatorTally sum{1, 2, 3, 4, 5, 6, 7};
  sum += {10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(sum, (OperatorTally{11, 22, 33, 44, 55, 66, 77}));
  EXPECT_EQ(sum.unusable(), 22u + 33u + 44u + 55u + 66u + 77u);
}

}  // namespace
}  // namespace rivulet::input
