#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>
#include <string>

#include "input/byte_source.h"
#include "input/csv.h"
#include "input/csv_reference.h"
#include "input/halting_source.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

using testing::HaltingSource;
using testing::OwnedRecord;
using testing::read_records;
using testing::RecordEnd;
using testing::reference_ends;
using testing::reference_records;

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

std::vector<OwnedRecord> records_of(std::string_view text, std::size_t piece = kWhole, RowSettings options = {}) {
  MemorySource source(text, piece);
  return read_records(source, options);
}

std::vector<RecordEnd> ends_of(std::string_view text, std::size_t piece, RowSettings options) {
  MemorySource source(text, piece);
  CsvReader reader(source, options);
  std::vector<RecordEnd> ends;
  while (reader.next()) ends.push_back({reader.record_end(), reader.ended_with_input()});
  EXPECT_EQ(reader.offset(), text.size());
  return ends;
}

// What a failed comparison prints instead of raw control characters.
std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  return shown;
}

TEST(CsvReader, AgreesWithTheReferenceOnEveryTextOfUpToSixCharacters) {
  constexpr std::string_view kAlphabet = "a,\"\n\r";
  RowSettings options;
  options.limits.block = 16;
  for (std::size_t length = 0; length <= 6; ++length) {
    std::vector<std::size_t> digits(length, 0);
    std::string text(length, kAlphabet[0]);
    while (true) {
      const auto expected = reference_records(text, ',', options.limits.record_limit);
      for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, kWhole}) {
        ASSERT_EQ(records_of(text, piece, options), expected) << visible(text) << " in pieces of " << piece;
        ASSERT_EQ(ends_of(text, piece, options), reference_ends(text, ',')) << visible(text);
      }
      std::size_t place = 0;
      while (place < length && ++digits[place] == kAlphabet.size()) digits[place++] = 0;
      if (place == length) break;
      for (std::size_t i = 0; i < length; ++i) text[i] = kAlphabet[digits[i]];
    }
  }
}

TEST(CsvReader, AgreesWithTheReferenceOnEveryShortTextUnderATightLimit) {
  constexpr std::string_view kAlphabet = "a,\"\n";
  for (std::size_t limit = 1; limit <= 4; ++limit) {
    RowSettings options;
    options.limits.record_limit = limit;
    options.limits.block = 2;
    for (std::size_t code = 0; code < 4096 * 4; ++code) {
      std::string text;
      for (std::size_t rest = code, i = 0; i < 7; ++i, rest /= 4) text += kAlphabet[rest % 4];
      const auto expected = reference_records(text, ',', limit);
      for (const std::size_t piece : {std::size_t{1}, std::size_t{2}}) {
        ASSERT_EQ(records_of(text, piece, options), expected) << visible(text) << " with limit " << limit;
        ASSERT_EQ(ends_of(text, piece, options), reference_ends(text, ',')) << visible(text) << " with limit " << limit;
      }
    }
  }
}

TEST(CsvReader, AgreesWithTheReferenceOnRandomLongTextHoweverItIsCut) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::string_view alphabet = round % 2 == 0 ? "0123456789.,-,\n" : "ab,,\"\"\n\r;";
    std::string text;
    const std::size_t length = random() % 20000;
    while (text.size() < length) text += alphabet[random() % alphabet.size()];
    RowSettings options;
    options.limits.block = 1 + random() % 300;
    options.limits.record_limit = 1 + random() % 2000;
    options.delimiter = round % 3 == 0 ? ';' : ',';
    const auto expected = reference_records(text, options.delimiter, options.limits.record_limit);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, kWhole}) {
      ASSERT_EQ(records_of(text, piece, options), expected) << "round " << round << " in pieces of " << piece;
    }
  }
}

TEST(CsvReader, QuotedFieldsHoldDelimitersLineEndsAndQuotes) {
  const auto records = records_of("a,b\n\"x,y\",\"1\r\n2\"\n\"say \"\"hi\"\"\",\"\"\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].fields, (std::vector<std::string>{"x,y", "1\r\n2"}));
  EXPECT_EQ(records[2].fields, (std::vector<std::string>{"say \"hi\"", ""}));
}

TEST(CsvReader, TheLineEndMayBeLfCrlfOrCrAndMayBeMissingAtTheEnd) {
  const auto expected = records_of("a,b\n1,2\n");
  ASSERT_EQ(expected.size(), 2u);
  for (const char* text : {"a,b\r\n1,2\r\n", "a,b\r1,2\r", "a,b\n1,2", "a,b\r\n1,2\r", "\n\na,b\n\r\n\n1,2\n\n"}) {
    EXPECT_EQ(records_of(text), expected) << visible(text);
  }
}

TEST(CsvReader, AByteOrderMarkIsSkippedOnceAtTheBeginningOnly) {
  EXPECT_EQ(records_of("\xEF\xBB\xBF"
                       "a,b\n",
                       1),
            records_of("a,b\n"));
  EXPECT_EQ(records_of("\xEF\xBB\xBF\xEF\xBB\xBF"
                       "a\n")[0]
                .fields[0],
            "\xEF\xBB\xBF"
            "a");
  EXPECT_TRUE(records_of("\xEF\xBB").empty()) << "it may still be written";
  EXPECT_EQ(records_of("\xEF\xBB\n")[0].fields[0], "\xEF\xBB");
  EXPECT_TRUE(records_of("\xEF\xBB\xBF").empty());
  const std::string marked = "\xEF\xBB\xBF\n1\r\n2";
  EXPECT_EQ(ends_of(marked, 1, {}), reference_ends(marked, ',')) << "it counts as bytes of the input";
}

TEST(CsvReader, AnotherNumberOfFieldsIsRaggedAndDoesNotDisturbTheNextRecord) {
  const auto records = records_of("a,b\n1\n1,2,3\n1,2\n,\n");
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[1].status, RecordStatus::ragged);
  EXPECT_EQ(records[2].status, RecordStatus::ragged);
  EXPECT_EQ(records[3].status, RecordStatus::ok);
  EXPECT_EQ(records[4].status, RecordStatus::ok);
}

TEST(CsvReader, AQuoteNeverClosedIsOneMalformedRecord) {
  const auto records = records_of("a,b\n1,\"2\n3,4\n5,6");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].status, RecordStatus::malformed);
  EXPECT_TRUE(records[1].fields.empty());
}

TEST(CsvReader, TextAfterAClosingQuoteIsMalformedAndTheNextRecordIsFine) {
  const auto records = records_of("a,b\n\"1\"x,2\n3,4\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].status, RecordStatus::malformed);
  EXPECT_EQ(records[2].fields, (std::vector<std::string>{"3", "4"}));
}

TEST(CsvReader, ARecordBeyondTheLimitIsConsumedToItsEndAndMalformed) {
  RowSettings options;
  options.limits.block = 1024;
  const std::string text = "a,b\n" + std::string((1 << 20) + 1, '7') + ",2\n3,4\n";
  const auto records = records_of(text, 1000, options);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].status, RecordStatus::malformed);
  EXPECT_EQ(records[2].fields, (std::vector<std::string>{"3", "4"}));
}

TEST(CsvReader, ARecordOfExactlyTheLimitIsWhole) {
  const std::string cell((1 << 20) - 2, '7');
  const auto records = records_of("a,b\n" + cell + ",2\r\n" + cell + ",22\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].fields, (std::vector<std::string>{cell, "2"}));
  EXPECT_EQ(records[2].status, RecordStatus::malformed);
}

TEST(CsvReader, TellsTheLineARecordStartsOn) {
  MemorySource source("a,b\r\n\r\n1,\"x\ny\"\n\n3,4\r5,6\n", 1);
  CsvReader reader(source);
  std::vector<std::uint64_t> lines;
  while (reader.next()) lines.push_back(reader.record().line);
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{1, 3, 6, 7}));
}

TEST(CsvReader, BytesThatAreNoTextAreJustBytes) {
  const std::string text("a,b\n\0\xff,\x01\n", 9);
  const auto records = records_of(text);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].fields[0], std::string("\0\xff", 2));
}

TEST(CsvReader, ADelimiterThatCouldNotWorkIsRefused) {
  for (const char delimiter : {'"', '\n', '\r'}) {
    MemorySource source("");
    EXPECT_THROW(CsvReader(source, {.delimiter = delimiter}), RequestError);
  }
  EXPECT_EQ(records_of("a\tb\n1\t2\n", kWhole, {.delimiter = '\t'}), records_of("a,b\n1,2\n"));
}

TEST(CsvReader, AStoppedSourceNeverDeliversHalfARecordAndMayGoOn) {
  HaltingSource source({"a,b\n12,3", "4\n5,\"6", "7\"\n"});
  CsvReader reader(source);
  const Record& record = reader.record();
  ASSERT_TRUE(reader.next());
  ASSERT_FALSE(reader.next());
  EXPECT_TRUE(source.stopped());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(record.fields[1], "34");
  ASSERT_FALSE(reader.next());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(record.fields[1], "67");
  ASSERT_FALSE(reader.next());
  EXPECT_FALSE(source.stopped());
}

// The same line over and over, without an end to it.
class EndlessLine final : public ByteSource {
 public:
  explicit EndlessLine(std::size_t length) : left_(length) {}
  std::size_t read(std::span<char> block) override {
    const std::size_t length = std::min(block.size(), left_);
    for (std::size_t i = 0; i < length; ++i) block[i] = i % 8 == 7 ? ',' : '1';
    left_ -= length;
    return length;
  }
  [[nodiscard]] bool stopped() const override { return false; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::size_t left_;
  std::string name_ = "endless";
};

long peak_memory_kib() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(CsvReader, MemoryStaysBoundedHoweverLongARecordIs) {
  const long before = peak_memory_kib();
  EndlessLine source(std::size_t{1} << 29);
  const auto records = read_records(source, {});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].status, RecordStatus::malformed);
  EXPECT_LT(peak_memory_kib() - before, 64 * 1024);
}

}  // namespace
}  // namespace rivulet::input
