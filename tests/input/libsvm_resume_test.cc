// Reading libsvm rows goes on where it stopped, or refuses an input that is not the one that was consumed.
#include <gtest/gtest.h>

#include <random>

#include "input/halting_source.h"
#include "input/libsvm_reference.h"
#include "input/resumable_rows.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

using testing::block_of;
using testing::libsvm_rows;
using testing::LibsvmReference;
using testing::LibsvmRow;
using testing::options_for;
using testing::reference_rows;
using testing::rows_of;
using testing::shown_rows;
using testing::visible;

constexpr std::size_t kBlock = 4;

std::vector<BytePosition> positions_in(std::string_view text, const LibsvmReference& wanted) {
  MemorySource bytes(text, 3);
  const auto source_opened = libsvm_rows(bytes, block_of(wanted.columns), options_for(wanted, kBlock));
  RowSource& source = *source_opened;
  std::vector<BytePosition> positions{BytePosition::from(source.position())};
  Row row;
  while (source.next(row)) positions.push_back(BytePosition::from(source.position()));
  return positions;
}

// Everything that must hold of a reading of `grown` that goes on from `position`, which was taken on a shorter input.
void expect_resumed(const std::string& grown, const BytePosition& position, const LibsvmReference& wanted) {
  ASSERT_EQ(position.digest, testing::digest_of(std::string_view(grown).substr(0, position.bytes)));
  const std::vector<LibsvmRow> all = reference_rows(grown, wanted);
  MemorySource bytes(grown, 5);
  const auto source_opened = libsvm_rows(bytes, block_of(wanted.columns), options_for(wanted, kBlock));
  RowSource& source = *source_opened;
  ASSERT_TRUE(source.resume(position));
  ASSERT_EQ(source.position(), position);
  const std::vector<LibsvmRow> rest = rows_of(source);
  const std::vector<LibsvmRow> expected(all.begin() + static_cast<std::ptrdiff_t>(position.records), all.end());
  ASSERT_EQ(rest, expected) << "\n  gave     " << shown_rows(rest) << "\n  expected " << shown_rows(expected);
  ASSERT_EQ(BytePosition::from(source.position()).records, all.size());
  const bool grew = position.mid_line && all[position.records - 1].end > position.bytes;
  const bool only_line_end =
      grew && all[position.records - 1].end == position.bytes + 1 && !all[position.records - 1].with_input;
  ASSERT_EQ(source.skipped_remainder(), grew && !only_line_end);
}

void expect_resumed_after_every_row(const std::string& text, const std::string& appended,
                                    const LibsvmReference& wanted) {
  for (const BytePosition& position : positions_in(text, wanted)) {
    ASSERT_NO_FATAL_FAILURE(expect_resumed(text + appended, position, wanted))
        << visible(text) << " and then " << visible(appended) << ", from byte " << position.bytes;
  }
}

TEST(LibsvmResume, EveryShortTextGoesOnAfterEveryRowWhateverIsAppended) {
  constexpr std::string_view kAlphabet = "1# \n\r";
  const std::vector<std::string> additions = {"",         "\n",      "1",         "1 1:1",   "\n1 1:1\n",
                                              "\r\n1\r1", "# 1\n1#", " #\n\r 1 ", "\n\n#\n1"};
  for (std::size_t length = 0; length <= 5; ++length) {
    std::vector<std::size_t> digits(length, 0);
    std::string text(length, kAlphabet[0]);
    while (true) {
      for (const std::string& appended : additions) {
        ASSERT_NO_FATAL_FAILURE(expect_resumed_after_every_row(text, appended, {}));
      }
      std::size_t place = 0;
      while (place < length && ++digits[place] == kAlphabet.size()) digits[place++] = 0;
      if (place == length) break;
      for (std::size_t i = 0; i < length; ++i) text[i] = kAlphabet[digits[i]];
    }
  }
}

TEST(LibsvmResume, LongRandomTextGoesOnAfterEveryRow) {
  std::mt19937 random(23);
  constexpr std::string_view kAlphabet = "0123:::   #\n\n\n\r";
  for (int round = 0; round < 100; ++round) {
    const auto some = [&](std::size_t length) {
      std::string text;
      while (text.size() < length) text += kAlphabet[random() % kAlphabet.size()];
      return text;
    };
    const std::string mark = round % 3 == 0 ? "\xEF\xBB\xBF\r\n# a comment\n" : "";
    ASSERT_NO_FATAL_FAILURE(expect_resumed_after_every_row(mark + some(random() % 300), some(random() % 100),
                                                           {.limit = 1 + random() % 30}));
  }
}

TEST(LibsvmResume, AStoppedSourceLeavesNothingConsumedAndMayGoOn) {
  const std::string text = "1 1:1\n# one\n2 2:1\r\n3 3:1\n4";
  const std::string grown = text + " 1:2\n5 1:1\n";
  for (const BytePosition& position : positions_in(text, {})) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < grown.size(); at += 3) pieces.push_back(grown.substr(at, 3));
    testing::HaltingSource source(pieces);
    const auto rows_opened = libsvm_rows(source, block_of(3), options_for({}, 4));
    RowSource& rows = *rows_opened;
    Row row;
    while (!rows.resume(position)) {
      ASSERT_TRUE(source.stopped());
      ASSERT_THROW(rows.next(row), std::logic_error) << "a row of the prefix must not come out";
    }
    std::vector<double> labels;
    do {
      while (rows.next(row)) labels.push_back(row.target);
    } while (source.stopped());
    std::vector<double> expected = {1.0, 2.0, 3.0, 4.0, 5.0};
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(position.records));
    EXPECT_EQ(labels, expected);
  }
}

bool resumes(std::string_view text, const BytePosition& position) {
  MemorySource bytes(text, 3);
  const auto source_opened = libsvm_rows(bytes, block_of(3), options_for({}, 4));
  RowSource& source = *source_opened;
  try {
    return source.resume(position);
  } catch (const SourceChanged& error) {
    EXPECT_NE(std::string(error.what()).find("nothing was published"), std::string::npos);
    return false;
  }
}

TEST(LibsvmResume, AnyChangedAddedOrLostByteOfThePrefixIsRefused) {
  for (const std::string& text : {std::string("1 1:1\n2 2:1\n"), std::string("# first\r\n1 qid:3 1:1\r\n\r\n 2 2:1 #c"),
                                  std::string("1\n2\n3")}) {
    for (const BytePosition& position : positions_in(text, {})) {
      ASSERT_TRUE(resumes(text, position));
      for (std::size_t i = 0; i < position.bytes; ++i) {
        for (const char other : {'8', '\n', '\r', '#', ':', ' '}) {
          if (text[i] == other) continue;
          std::string changed = text + "\n1 1:1\n";
          changed[i] = other;
          EXPECT_FALSE(resumes(changed, position)) << visible(changed) << " from byte " << position.bytes;
        }
        EXPECT_FALSE(resumes(text.substr(0, i), position));
        const std::string longer = text.substr(0, i) + '\n' + text.substr(i);
        EXPECT_EQ(resumes(longer, position), longer.starts_with(text.substr(0, position.bytes)));
      }
    }
  }
}

TEST(LibsvmResume, APositionThatNoReadingCouldHaveIsRefused) {
  const std::string text = "1 1:1\n2 2:1\n";
  const BytePosition good = positions_in(text, {})[1];
  BytePosition more_rows = good;
  more_rows.records = 2;
  BytePosition amid = good;
  amid.bytes = 4;
  amid.digest = testing::digest_of(text.substr(0, 4));
  BytePosition beyond = good;
  beyond.bytes = ~std::uint64_t{0};
  for (const BytePosition& bad : {more_rows, amid, beyond}) EXPECT_FALSE(resumes(text, bad)) << bad.bytes;
  EXPECT_TRUE(resumes(text, good));
}

TEST(LibsvmResume, PositionsAreNotKeptUnlessAskedFor) {
  MemorySource bytes("1 1:1\n");
  const auto source_opened = libsvm_rows(bytes, block_of(3));
  RowSource& source = *source_opened;
  EXPECT_THROW((void)source.position(), std::logic_error);
  EXPECT_THROW((void)source.resume({}), std::logic_error);
}

}  // namespace
}  // namespace rivulet::input
