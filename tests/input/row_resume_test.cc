// Reading goes on where it stopped: whatever the input, however it is cut, and wherever it was left, the rows that come
// after a resumption are those of a reading that never stopped.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "input/csv_reference.h"
#include "input/halting_source.h"
#include "input/resumable_rows.h"
#include "support/gzipped.h"

namespace rivulet::input {
namespace {

using rivulet::testing::gzipped;
using testing::HaltingSource;
using testing::Options;
using testing::read_resumed;
using testing::read_through;
using testing::Reading;
using testing::reference_ends;
using testing::visible;

constexpr std::string_view kHeader = "a,y\n";

// Everything that must hold of a reading of `grown` that goes on from `position`, which was taken on a shorter input.
void expect_resumed(const std::string& grown, const BytePosition& position, const Reading& uninterrupted,
                    const Options& options) {
  const std::size_t consumed = position.records;
  const Reading rest = read_resumed(grown, position, options);
  ASSERT_EQ(rest.rows, uninterrupted.rows_after(consumed));
  ASSERT_EQ(rest.positions.front(), position);
  for (std::size_t i = 1; i < rest.positions.size(); ++i) {
    ASSERT_EQ(rest.positions[i], uninterrupted.positions[consumed + i]);
  }
  if (!position.mid_line) {
    OperatorTally total = uninterrupted.tallies[consumed];
    total += rest.tallies.back();
    ASSERT_EQ(total, uninterrupted.tallies.back());
    ASSERT_FALSE(rest.skipped_remainder);
    return;
  }
  const auto now = reference_ends(grown, options.delimiter)[consumed];  // the header is the first of them
  const bool line_end = now.end == position.bytes + 1 && !now.with_input;
  ASSERT_EQ(rest.skipped_remainder, consumed > 0 && now.end > position.bytes && !line_end);
}

void expect_resumed_after_every_row(const std::string& text, const std::string& appended, const Options& options) {
  const std::string grown = text + appended;
  const Reading uninterrupted = read_through(grown, options);
  for (const BytePosition& position : read_through(text, options).positions) {
    ASSERT_NO_FATAL_FAILURE(expect_resumed(grown, position, uninterrupted, options))
        << visible(text) << " and then " << visible(appended) << ", from byte " << position.bytes;
  }
}

TEST(Resume, EveryShortTextGoesOnAfterEveryRowWhateverIsAppended) {
  constexpr std::string_view kAlphabet = "1,\"\n\r";
  const std::vector<std::string> additions = {"",   "\n",        "2",           "2,3",           "\n4,5\n", "\r\n4,5",
                                              "\"", "\"\n4,5\n", "x\"\"\n\",3", "\n\n\r4,5\r\n", "\"2,3\n", "\",3\n"};
  for (std::size_t length = 0; length <= 5; ++length) {
    std::vector<std::size_t> digits(length, 0);
    std::string text(length, kAlphabet[0]);
    while (true) {
      for (const std::string& appended : additions) {
        ASSERT_NO_FATAL_FAILURE(expect_resumed_after_every_row(std::string(kHeader) + text, appended,
                                                               {.piece = 1 + length % 3, .block = 2}));
      }
      std::size_t place = 0;
      while (place < length && ++digits[place] == kAlphabet.size()) digits[place++] = 0;
      if (place == length) break;
      for (std::size_t i = 0; i < length; ++i) text[i] = kAlphabet[digits[i]];
    }
  }
}

TEST(Resume, LongRandomTextGoesOnAfterEveryRowHoweverItIsCut) {
  std::mt19937 random(23);
  for (int round = 0; round < 150; ++round) {
    const std::string_view alphabet = round % 2 == 0 ? "0123456789.,,,\n\n\n" : "12,,\"\"\n\r;\n";
    const auto some = [&](std::size_t length) {
      std::string text;
      while (text.size() < length) text += alphabet[random() % alphabet.size()];
      return text;
    };
    const Options options{
        .piece = 1 + random() % 300, .block = 1 + random() % 200, .record_limit = 1 + random() % 100, .delimiter = ','};
    const std::string mark = round % 3 == 0 ? "\xEF\xBB\xBF\r\n" : "";
    const std::string header = round % 5 == 0 ? "\"a\",\"the \"\"note\"\"\",y\n" : "a,y\n";
    if (header.size() > options.record_limit) continue;
    ASSERT_NO_FATAL_FAILURE(
        expect_resumed_after_every_row(mark + header + some(random() % 1000), some(random() % 300), options));
  }
}

TEST(Resume, MayBeDoneWithOtherBlocksThanThePositionWasTakenWith) {
  const std::string text = "a,y\r\n1,2\r\n\r\n\"3\",\"4\"\r\n" + std::string(200, '5') + ",6\n7,8\r\n9";
  const Reading uninterrupted = read_through(text);
  for (const std::size_t block : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{1000}}) {
    const Options other{.piece = block, .block = block};
    for (const BytePosition& position : uninterrupted.positions) {
      ASSERT_NO_FATAL_FAILURE(expect_resumed(text, position, uninterrupted, other)) << position.bytes;
    }
  }
}

TEST(Resume, ALineEndThatArrivesLaterEndsTheRowThatWasCounted) {
  const BytePosition position = read_through("a,y\n1,2").positions.back();
  EXPECT_TRUE(position.mid_line);
  for (const char* appended : {"\n3,4\n", "\r\n3,4\n", "\r3,4\n"}) {
    const Reading rest = read_resumed("a,y\n1,2" + std::string(appended), position);
    EXPECT_EQ(rest.rows, read_through("a,y\n3,4\n").rows);
    EXPECT_FALSE(rest.skipped_remainder);
  }
}

TEST(Resume, TheRestOfARowThatWasCountedIsSkippedAndReported) {
  const BytePosition position = read_through("a,y\n1,2").positions.back();
  const Reading rest = read_resumed("a,y\n1,25\n3,4\n", position);
  EXPECT_EQ(rest.rows, read_through("a,y\n3,4\n").rows);
  EXPECT_TRUE(rest.skipped_remainder);
  EXPECT_EQ(rest.tallies.back().rows, 1u);
  EXPECT_EQ(rest.positions.front(), position) << "until a row is read nothing more is consumed";
}

TEST(Resume, ARowThatIsStillBeingWrittenIsSkippedAgainNextTime) {
  const BytePosition position = read_through("a,y\n1,2").positions.back();
  const Reading still = read_resumed("a,y\n1,23", position);
  EXPECT_TRUE(still.rows.empty());
  EXPECT_TRUE(still.skipped_remainder);
  const Reading done = read_resumed("a,y\n1,234\n5,6\n", still.positions.back());
  EXPECT_EQ(done.rows, read_through("a,y\n5,6\n").rows);
  EXPECT_TRUE(done.skipped_remainder);
}

TEST(Resume, TheLinesOfAQuotedFieldThatWasStillBeingWrittenAreNoRows) {
  const BytePosition position = read_through("a,note,y\n1,\"first line\n").positions.back();
  EXPECT_EQ(position.records, 1u);
  EXPECT_TRUE(position.mid_line) << "the line end belongs to the field";
  const Reading rest = read_resumed("a,note,y\n1,\"first line\n7,7,7\n8,8,8\",2\n3,x,4\n", position);
  EXPECT_EQ(rest.rows, read_through("a,y\n3,4\n").rows);
  EXPECT_TRUE(rest.skipped_remainder);
}

TEST(Resume, AHeaderWithoutALineEndIsConsumedLikeAnyOther) {
  const BytePosition position = read_through("\"a\",y").positions.back();
  EXPECT_EQ(position.records, 0u);
  for (const char* appended : {"\n3,4\n", "\r\n3,4\n", ",more\n3,4,5\n"}) {
    const Reading rest = read_resumed("\"a\",y" + std::string(appended), position, {.piece = 1, .block = 1});
    EXPECT_EQ(rest.rows, read_through("a,y\n3,4\n").rows) << visible(appended);
    EXPECT_FALSE(rest.skipped_remainder) << "no row was counted";
  }
  EXPECT_TRUE(read_resumed("\"a\",y", position).rows.empty());
}

TEST(Resume, MembersAppendedToAGzipFileGoOnWithItsRows) {
  std::string pattern = (std::filesystem::temp_directory_path() / "rivulet_resume_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string path = pattern + "/rows.csv.gz";
  std::string text = "a,y\r\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i % 100) + ",\"" + std::to_string(i) + "\"\r\n";
  const std::string appended = "7,\"8\"\r\n9,10";

  const auto write = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  const Reading uninterrupted = read_through(text + appended, {.block = 1000});
  write(gzipped(text));
  FileSource first(path);
  CsvRowSource rows(first, testing::one_feature(), testing::tracked({.block = 1000}));
  Row row;
  std::vector<BytePosition> positions = {BytePosition::from(rows.position())};
  while (rows.next(row)) positions.push_back(BytePosition::from(rows.position()));
  ASSERT_EQ(positions.size(), 5001u);

  for (const std::size_t consumed : {std::size_t{0}, std::size_t{1}, std::size_t{2500}, std::size_t{5000}}) {
    EXPECT_EQ(positions[consumed], uninterrupted.positions[consumed]) << "compression does not show";
    for (const std::string& bytes : {gzipped(text) + gzipped(appended), gzipped(text + appended), text + appended}) {
      write(bytes);
      FileSource again(path);
      CsvRowSource resumed(again, testing::one_feature(), testing::tracked({.block = 1000}));
      ASSERT_TRUE(resumed.resume(positions[consumed]));
      Reading rest;
      testing::read_on(resumed, rest);
      EXPECT_EQ(rest.rows, uninterrupted.rows_after(consumed));
    }
    write(text + appended);
    FileSource recognised(path);
    EXPECT_TRUE(starts_with(recognised, positions[consumed]));
  }
  std::filesystem::remove_all(pattern);
}

// Stops at every third byte, and goes on every time.
void expect_resumed_in_spite_of_stops(const std::string& grown, const BytePosition& position, const Options& options) {
  const Reading uninterrupted = read_through(grown, options);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < grown.size(); at += pieces.back().size())
    pieces.push_back(grown.substr(at, at ? 3 : 5));
  HaltingSource source(pieces);
  CsvRowSource rows(source, testing::one_feature(), testing::tracked(options));
  Row row;
  int stops = 0;
  while (!rows.resume(position)) {
    ASSERT_TRUE(source.stopped());
    ASSERT_THROW(rows.next(row), std::logic_error) << "a row of the prefix must not come out";
    ++stops;
  }
  EXPECT_GE(stops, position.bytes > 5 ? 1 : 0);
  EXPECT_EQ(rows.position(), position);
  std::vector<std::string> rest;
  do {
    while (rows.next(row)) rest.push_back(testing::text_of(row));
  } while (source.stopped());
  EXPECT_EQ(rest, uninterrupted.rows_after(position.records));
  EXPECT_EQ(rows.position(), uninterrupted.positions.back());
}

TEST(Resume, AStoppedSourceLeavesNothingConsumedAndMayGoOn) {
  const std::string text = "a,y\n1,2\n3,\"4\n5\"\n6,7\n8";
  for (const std::size_t limit : {std::size_t{1000}, std::size_t{3}}) {
    const Options options{.block = 8, .record_limit = limit};
    for (const BytePosition& position : read_through(text, options).positions) {
      for (const std::string& rest : {std::string("9,1"), std::string(100, '9')}) {
        ASSERT_NO_FATAL_FAILURE(expect_resumed_in_spite_of_stops(text + rest + "\n2,3\n", position, options))
            << "from byte " << position.bytes << " with a limit of " << limit;
      }
    }
  }
}

TEST(Resume, TellsHowFarItHasCome) {
  std::string text = "a,y\n";
  while (text.size() < 5'000'000) text += "1,2\n";
  const BytePosition position = read_through(text, {.piece = 1 << 20, .block = 1 << 18}).positions.back();
  MemorySource bytes(text);
  CsvRowSource source(bytes, testing::one_feature(), testing::tracked({.block = 1 << 18}));
  std::vector<std::uint64_t> told;
  ASSERT_TRUE(source.resume(position, [&](std::uint64_t so_far, std::uint64_t all) {
    EXPECT_EQ(all, position.bytes);
    told.push_back(so_far);
  }));
  ASSERT_GE(told.size(), 4u);
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GT(told[i], told[i - 1]);
  EXPECT_LE(told.back(), position.bytes);
}

}  // namespace
}  // namespace rivulet::input
