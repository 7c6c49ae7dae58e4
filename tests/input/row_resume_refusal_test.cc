// What is not the input that was consumed is refused, and nothing of it is shown.
#include <gtest/gtest.h>

#include "input/resumable_rows.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

using testing::Options;
using testing::read_resumed;
using testing::read_through;
using testing::visible;

const std::vector<std::string> kInputs = {
    "a,y\n1,2\n3,4\n",
    "a,y\r\n1,2\r\n\r\n3,4",
    "\xEF\xBB\xBF\"a\",y\n1,\"2\"\n\n\"3\n\",4\n5\n",
    "a,y\n" + std::string(40, '7') + ",1\n3,4\n",
};

// "resumed", or the message of what refused it.
template <typename Refusal>
std::string refusal(std::string_view text, const BytePosition& position, const Options& options = {}) {
  try {
    read_resumed(text, position, options);
  } catch (const Refusal& error) {
    return error.what();
  }
  return "resumed";
}

TEST(ResumeRefusal, AnyChangedByteOfThePrefixIsRefused) {
  for (const std::string& text : kInputs) {
    for (const BytePosition& position : read_through(text).positions) {
      for (std::size_t i = 0; i < position.bytes; ++i) {
        for (const char other : {'8', '\n', '\r', '"', ',', ' '}) {
          if (text[i] == other) continue;
          std::string changed = text + "\n5,6\n";
          changed[i] = other;
          // A header that names other columns is refused for that, before a position comes into it.
          EXPECT_NE(refusal<Error>(changed, position, {.piece = 3, .block = 4, .record_limit = 30}), "resumed")
              << visible(changed) << " from byte " << position.bytes;
        }
      }
    }
  }
}

TEST(ResumeRefusal, AnyByteMoreOrLessInThePrefixIsRefused) {
  for (const std::string& text : kInputs) {
    for (const BytePosition& position : read_through(text).positions) {
      for (std::size_t i = 0; i < position.bytes; ++i) {
        std::string shorter = text + "\n5,6\n";
        if (shorter[i] != shorter[i + 1]) {
          shorter.erase(i, 1);
          EXPECT_NE(refusal<Error>(shorter, position), "resumed") << visible(shorter);
        }
        EXPECT_NE(refusal<Error>(text.substr(0, i), position), "resumed") << visible(text.substr(0, i));
        std::string longer = text;
        longer.insert(i, 1, '\n');
        if (longer != text + '\n') {
          EXPECT_EQ(refusal<Error>(longer, position) == "resumed", longer.starts_with(text.substr(0, position.bytes)));
        }
      }
    }
  }
}

TEST(ResumeRefusal, SaysWhatDiffersAndWhatWouldBeAccepted) {
  const BytePosition position = read_through("a,y\n1,2\n3,4\n").positions.back();
  EXPECT_EQ(refusal<SourceChanged>("a,y\n1,2\n3,5\n6,7\n", position),
            "memory: its first 12 bytes are not those that were consumed; no new row was read and nothing was "
            "published; accepted: the same file, with rows appended at its end");
  EXPECT_EQ(refusal<SourceChanged>("a,y\n1,2\n", position),
            "memory: is shorter than the 12 bytes that were consumed of it; no new row was read and nothing was "
            "published; accepted: the same file, with rows appended at its end");
  EXPECT_EQ(refusal<SourceChanged>("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\na,y\n1,2\n3,4\n", position, {.block = 1}),
            "memory: its header is not the one that was consumed; no new row was read and nothing was published; "
            "accepted: the same file, with rows appended at its end");
}

TEST(ResumeRefusal, TheSameBytesDividedIntoOtherRowsAreRefused) {
  // With commas the quote opens a field that holds a line end; with semicolons it is a letter and the line ends there.
  const std::string text = "a;y,a,y\n1,\"2\n\",3\n4,5,6\n";
  const BytePosition position = read_through(text).positions[1];
  Schema schema;
  schema.feature("a", {0.0, 1.0}).target("y,a,y", {0.0, 1.0});
  MemorySource bytes(text);
  CsvRowSource source(bytes, schema, testing::tracked({.delimiter = ';'}));
  try {
    EXPECT_FALSE(source.resume(position));
    ADD_FAILURE() << "resumed";
  } catch (const SourceChanged& error) {
    EXPECT_NE(std::string(error.what()).find("divided into other rows"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("the same delimiter"), std::string::npos) << error.what();
  }
  Row row;
  EXPECT_THROW(source.next(row), std::logic_error) << "a refused input gives no rows";
}

TEST(ResumeRefusal, APositionThatNoReadingCouldHaveIsRefused) {
  const std::string text = "a,y\n1,2\n3,4\n";
  const BytePosition good = read_through(text).positions[1];
  BytePosition more_rows = good;
  more_rows.records = 2;
  BytePosition amid = good;
  amid.bytes = 6;
  amid.digest = testing::digest_of(text.substr(0, 6));
  BytePosition beyond = good;
  beyond.bytes = ~std::uint64_t{0};
  for (const BytePosition& bad : {BytePosition{}, more_rows, amid, beyond}) {
    EXPECT_NE(refusal<SourceChanged>(text, bad), "resumed") << bad.bytes;
  }
  EXPECT_EQ(refusal<SourceChanged>(text, good), "resumed");
}

TEST(ResumeRefusal, AfterTheFirstRowItIsTooLateToResume) {
  const std::string text = "a,y\n1,2\n3,4\n";
  const BytePosition position = read_through(text).positions[1];
  MemorySource bytes(text);
  CsvRowSource source(bytes, testing::one_feature(), testing::tracked({}));
  Row row;
  ASSERT_TRUE(source.next(row));
  EXPECT_THROW((void)source.resume(position), std::logic_error);
}

}  // namespace
}  // namespace rivulet::input
