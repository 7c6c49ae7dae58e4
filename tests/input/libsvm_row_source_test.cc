#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "input/halting_source.h"
#include "input/libsvm_reference.h"
#include "input/row_source.h"
#include "rivulet/error.h"
#include "support/gzipped.h"

namespace rivulet::input {
namespace {

using testing::block_of;
using testing::fast_rows;
using testing::HaltingSource;
using testing::libsvm_rows;

struct Reading {
  std::vector<Row> rows;
  OperatorTally tally;
};

Reading read_rows(const std::string& text, std::size_t columns = 5, const RowSettings& options = {}) {
  MemorySource source(text, 7);
  const auto rows_opened = libsvm_rows(source, block_of(columns), options);
  RowSource& rows = *rows_opened;
  Reading reading;
  Row row;
  while (rows.next(row)) reading.rows.push_back(row);
  reading.tally = rows.tally();
  return reading;
}

template <typename Attempt>
std::string refusal(Attempt attempt) {
  try {
    attempt();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LibsvmRowSource, IndexIIsColumnIOfTheBlock) {
  const auto reading = read_rows("-1 1:0.5 4:2 5:-7e-1\n+1.5 2:1\n");
  ASSERT_EQ(reading.rows.size(), 2u);
  EXPECT_TRUE(reading.rows[0].sparse);
  EXPECT_TRUE(reading.rows[0].usable);
  EXPECT_EQ(reading.rows[0].positions, (std::vector<std::uint32_t>{0, 3, 4}));
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{0.5, 2.0, -0.7})) << "values are not clamped here";
  EXPECT_EQ(reading.rows[0].target, -1.0);
  EXPECT_EQ(reading.rows[1].sparse_view().positions.size(), 1u);
  EXPECT_EQ(reading.rows[1].sparse_view().values[0], 1.0);
  EXPECT_EQ(reading.rows[1].target, 1.5);
}

TEST(LibsvmRowSource, ALabelAloneIsARowOfZeros) {
  const auto reading = read_rows("0\n1 # of nothing\n-1#\n");
  ASSERT_EQ(reading.rows.size(), 3u);
  EXPECT_EQ(reading.tally.unusable(), 0u);
  for (const Row& row : reading.rows) EXPECT_TRUE(row.positions.empty());
}

TEST(LibsvmRowSource, BlankLinesAndLinesOfCommentAreNoRowsHoweverLong) {
  const std::string spaces(5000, ' ');
  const std::string comment = "#" + std::string(5000, 'x');
  const auto reading = read_rows("\n\r\n \t\n# 1 1:2\n\t # 1\n" + spaces + "\n" + comment + "\n" + spaces + comment +
                                     "\r\n1 1:1\n" + spaces + "1 1:1\n" + comment,
                                 5, {.limits = {.record_limit = 20, .block = 64}});
  EXPECT_EQ(reading.tally.rows, 2u);
  EXPECT_EQ(reading.tally.unusable(), 0u);
}

TEST(LibsvmRowSource, ARowThatCannotBeUsedIsNotANumberAndCounted) {
  const std::pair<const char*, std::uint64_t OperatorTally::*> cases[] = {
      {"1 0:1", &OperatorTally::bad_index},
      {"1 6:1", &OperatorTally::bad_index},
      {"1 99999999999999999999999999:1", &OperatorTally::bad_index},
      {"1 4294967297:1", &OperatorTally::bad_index},
      {"1 18446744073709551617:1", &OperatorTally::bad_index},
      {"1 3:1 2:1", &OperatorTally::bad_index},
      {"1 3:1 3:1", &OperatorTally::bad_index},
      {"1 1:x", &OperatorTally::not_a_number},
      {"1 1:1e400", &OperatorTally::not_a_number},
      {"1 1:inf", &OperatorTally::not_a_number},
      {"1 1:0x2", &OperatorTally::not_a_number},
      {"1 1:2:3", &OperatorTally::not_a_number},
      {"1 1:", &OperatorTally::missing},
      {"1 1:nan", &OperatorTally::missing},
      {"1:1", &OperatorTally::missing},
      {"qid:1 1:1", &OperatorTally::missing},
      {"NA 1:1", &OperatorTally::missing},
      {"yes 1:1", &OperatorTally::not_a_number},
      {"1,2 1:1", &OperatorTally::not_a_number},
      {"1 1", &OperatorTally::malformed},
      {"1 :1", &OperatorTally::malformed},
      {"1 -1:1", &OperatorTally::malformed},
      {"1 +1:1", &OperatorTally::malformed},
      {"1 1 :1", &OperatorTally::malformed},
      {"1 1:1 qid:2", &OperatorTally::malformed},
      {"1 a,b,c", &OperatorTally::malformed},
  };
  for (const auto& [line, count] : cases) {
    const auto reading = read_rows("1 2:1 3:1\n" + std::string(line) + "\n1 5:1\n");
    ASSERT_EQ(reading.rows.size(), 3u) << line;
    const Row& row = reading.rows[1];
    EXPECT_FALSE(row.usable) << line;
    EXPECT_TRUE(row.sparse && std::isnan(row.target)) << line;
    EXPECT_EQ(row.positions, std::vector<std::uint32_t>{0}) << line;
    ASSERT_EQ(row.values.size(), 1u) << line;
    EXPECT_TRUE(std::isnan(row.values[0])) << line;
    EXPECT_EQ(reading.rows[2].positions, std::vector<std::uint32_t>{4}) << line;
    EXPECT_EQ(reading.tally.rows, 3u) << line;
    EXPECT_EQ(reading.tally.unusable(), 1u) << line;
    EXPECT_EQ(reading.tally.*count, 1u) << line;
  }
}

TEST(LibsvmRowSource, ALineAboveTheLimitIsOneUnusableRow) {
  const std::string at_limit = "1 1:" + std::string(16, '1');
  for (const std::size_t block : {std::size_t{1}, std::size_t{8}, std::size_t{1000}}) {
    const RowSettings options{.limits = {.record_limit = 20, .block = block}};
    const auto reading = read_rows("  " + at_limit + "\n" + at_limit + " \n" + at_limit + "1\n" +
                                       std::string(5000, '1') + "\r\n1 2:1\n" + std::string(300, '2'),
                                   5, options);
    EXPECT_EQ(reading.tally.rows, 6u) << block;
    EXPECT_EQ(reading.tally.malformed, 4u) << block;
    EXPECT_TRUE(reading.rows[0].usable) << "blanks before the row do not count";
    EXPECT_TRUE(reading.rows[4].usable);
  }
}

TEST(LibsvmRowSource, ForAPredictionAnyLabelWillDoButItMustBeThere) {
  const auto reading = read_rows("0 1:1\n? 2:1\nNA 3:1\n1:1\n", 5, {.needs_target = false});
  ASSERT_EQ(reading.rows.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(reading.rows[i].usable);
    EXPECT_TRUE(std::isnan(reading.rows[i].target));
  }
  EXPECT_FALSE(reading.rows[3].usable);
  EXPECT_EQ(reading.tally.missing, 1u);
}

TEST(LibsvmRowSource, TheQidIsPassedOverOrSaysWhoseRowItIs) {
  const std::string text = "1 qid:7 1:1\n1 1:1\n1 qid:NA 1:1\n1 qid: 1:1\n1 qid:007 0:1\n";
  EXPECT_EQ(read_rows(text).tally.unusable(), 1u);
  const auto reading = read_rows(text, 5, {.unit_column = "qid"});
  EXPECT_EQ(reading.rows[0].unit, "7");
  EXPECT_EQ(reading.rows[1].unit, "");
  EXPECT_EQ(reading.tally.missing_unit, 3u);
  EXPECT_EQ(reading.rows[4].unit, "007") << "an unusable row still says whose it is, and another text is another unit";
  EXPECT_EQ(reading.tally.bad_index, 1u);
}

TEST(LibsvmRowSource, AnyOtherUnitIsRefused) {
  EXPECT_EQ(refusal([] { read_rows("", 5, {.unit_column = "person"}); }),
            "unit: \"person\" is not in libsvm rows; accepted: qid");
  Schema schema;
  schema.block("x", 5, {0.0, 1.0}).target("qid", {0.0, 1.0});
  EXPECT_EQ(refusal([&] {
              MemorySource source("");
              libsvm_rows(source, schema, {.unit_column = "qid"});
            }),
            "unit: \"qid\" is the target; accepted: a column that is neither a feature nor the target");
}

TEST(LibsvmRowSource, ASchemaThatIsNotOneBlockIsRefused) {
  Schema numeric;
  numeric.feature("x", {0.0, 1.0}).target("y", {0.0, 1.0});
  Schema two;
  two.block("x", 5, {0.0, 1.0}).feature("z", {0.0, 1.0}).target("y", {0.0, 1.0});
  Schema none;
  none.target("y", {0.0, 1.0});
  for (const Schema& schema : {numeric, two, none}) {
    EXPECT_NE(refusal([&] {
                MemorySource source("");
                libsvm_rows(source, schema);
              }).find("format: libsvm rows are the columns of one block"),
              std::string::npos);
  }
}

TEST(LibsvmRowSource, AnEmptyInputIsAStreamOfNoRows) {
  for (const char* text : {"", "\n\r\n", "\xEF\xBB\xBF", "\xEF\xBB", "# nothing", "\xEF\xBB\xBF  "}) {
    EXPECT_EQ(read_rows(text).tally.rows, 0u);
  }
}

TEST(LibsvmRowSource, AStopNeverDeliversARowByHalves) {
  HaltingSource source({"1 1:", "2 2:", "3\n# com", "ment\n", "-1 ", "3:1"});
  const auto rows_opened = libsvm_rows(source, block_of(5));
  RowSource& rows = *rows_opened;
  std::vector<double> sums;
  Row row;
  int stops = 0;
  do {
    while (rows.next(row)) {
      double sum = row.target;
      for (const double value : row.values) sum += value;
      sums.push_back(sum);
    }
    ++stops;
  } while (source.stopped());
  EXPECT_EQ(sums, (std::vector<double>{6.0, 0.0}));
  EXPECT_EQ(stops, 6);
}

TEST(LibsvmRowSource, GzipIsReadLikePlainText) {
  std::string pattern = (std::filesystem::temp_directory_path() / "rivulet_libsvm_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string path = pattern + "/rows.svm.gz";
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += std::to_string(i) + " 1:0.5 " + std::to_string(1 + i % 5 + 1) + ":2\n";
  std::ofstream(path, std::ios::binary) << rivulet::testing::gzipped(text);
  FileSource file(path);
  const auto rows_opened = libsvm_rows(file, block_of(7), {.track_position = true});
  RowSource& rows = *rows_opened;
  const auto read = testing::rows_of(rows);
  EXPECT_EQ(read, fast_rows(text, {.columns = 7}));
  std::filesystem::remove_all(pattern);
}

}  // namespace
}  // namespace rivulet::input
