// Where a reading stands: how the digest is made, and how an input is recognised by it.
#include <gtest/gtest.h>

#include <random>

#include "input/csv_reference.h"
#include "input/record_reader.h"
#include "input/resumable_rows.h"
#include "input/row_source.h"

namespace rivulet::input {
namespace {

using testing::digest_of;
using testing::Options;
using testing::read_through;
using testing::Reading;
using testing::reference_ends;
using testing::visible;

std::string hexadecimal(const Sha256Digest& digest) {
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte / 16];
    text += "0123456789abcdef"[byte % 16];
  }
  return text;
}

TEST(Sha256, GivesTheDigestsOfTheStandardAndGoesOnAfterwards) {
  Sha256 hash;
  EXPECT_EQ(hexadecimal(hash.digest()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  hash.update("ab");
  const Sha256 half = hash;
  hash.update("c");
  // FIPS 180-4, the example "abc".
  EXPECT_EQ(hexadecimal(hash.digest()), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(half.digest(), digest_of("ab"));
  hash = half;
  EXPECT_EQ(hash.digest(), digest_of("ab"));
}

TEST(ConsumedPrefix, TheDigestAtTheEndSurvivesBytesThatRunAheadOfIt) {
  const std::string text = "0123456789";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t end = 0; end <= text.size(); ++end) {
      for (std::size_t second = first; second <= text.size(); ++second) {
        ConsumedPrefix prefix;
        prefix.end_at(end);
        prefix.hash(std::string_view(text).substr(0, first));
        prefix.hash(std::string_view(text).substr(first, second - first));
        ASSERT_EQ(prefix.hashed(), second);
        if (second >= end) {
          ASSERT_EQ(prefix.digest(), digest_of(text.substr(0, end)));
        }
        prefix.end_at(text.size());
        prefix.hash(std::string_view(text).substr(second));
        ASSERT_EQ(prefix.digest(), digest_of(text));
      }
    }
  }
}

const std::vector<std::string> kInputs = {
    "a,y\n1,2\n3,4\n",
    "a,y\r\n1,2\r\n3,4\r\n",
    "a,y\r1,2\r3,4\r",
    "a,y",
    "a,y\n1,2",
    "a,y\n1,2\r",
    "\xEF\xBB\xBF\n\r\n\"a\",y\n\n\n1,2\r\n\r\n\r\n\n3,4\n\n",
    "a,note,y\n1,\"one\nand \"\"two\"\"\",2\r\n3,\"\"\"\",4\n5,\"open\n6",
    "a,y\n1\n1,2,3\n\"1\"x,2\n,\nNA,2\n3,4\n",
    "a,y\n" + std::string(3000, '7') + ",1\n\"" + std::string(3000, '\n') + "\",1\n3,4\n" + std::string(2000, '\n'),
};

TEST(SourcePosition, IsTheEndOfEachRowAndTheDigestOfEverythingBeforeIt) {
  for (const std::string& text : kInputs) {
    const auto ends = reference_ends(text, ',');
    const Reading reading = read_through(text);
    ASSERT_EQ(reading.positions.size(), ends.size()) << visible(text);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_EQ(reading.positions[i].bytes, ends[i].end) << visible(text);
      EXPECT_EQ(reading.positions[i].records, i) << visible(text);
      EXPECT_EQ(reading.positions[i].mid_line, ends[i].with_input) << visible(text);
      EXPECT_EQ(reading.positions[i].digest, digest_of(text.substr(0, ends[i].end))) << visible(text);
    }
  }
}

TEST(SourcePosition, DoesNotDependOnHowTheInputIsCut) {
  for (const std::string& text : kInputs) {
    const Reading expected = read_through(text, {.block = std::size_t{1} << 18});
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{100}}) {
      for (const std::size_t block : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{5000}}) {
        EXPECT_EQ(read_through(text, {piece, block}).positions, expected.positions) << visible(text);
      }
    }
  }
}

TEST(SourcePosition, IsTheSameWhetherItIsAskedForAfterEveryRowOrOnce) {
  std::mt19937 random(17);
  std::string text = "a,y\r\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(random() % 100) + ",\"" + std::to_string(i) + "\"\r\n\r\n";
  const Reading reading = read_through(text, {.block = 4096});
  ASSERT_EQ(reading.rows.size(), 20000u);
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{7777}, std::size_t{20000}}) {
    MemorySource bytes(text);
    CsvRowSource source(bytes, testing::one_feature(), testing::tracked({.block = 1000}));
    Row row;
    for (std::size_t i = 0; i < rows; ++i) ASSERT_TRUE(source.next(row));
    EXPECT_EQ(source.position(), reading.positions[rows]);
  }
}

TEST(SourcePosition, StaysAtTheLastRowWhenTheEndOfTheInputHasBeenSeen) {
  const std::string text = "a,y\n1,2\r\n" + std::string(500, '\n');
  MemorySource bytes(text, 7);
  CsvRowSource source(bytes, testing::one_feature(), testing::tracked({}));
  Row row;
  ASSERT_TRUE(source.next(row));
  const BytePosition before = BytePosition::from(source.position());
  EXPECT_EQ(before.bytes, 8u) << "up to the CR";
  ASSERT_FALSE(source.next(row));
  EXPECT_EQ(source.position(), before);
  ASSERT_FALSE(source.next(row));
  EXPECT_EQ(source.position(), before);
}

// Asks for the position whenever more bytes are wanted, as a program does that stores its state while a pipe is silent.
class AskingSource final : public ByteSource {
 public:
  explicit AskingSource(std::string_view text) : bytes_(text, 3) {}
  std::size_t read(std::span<char> block) override {
    if (rows != nullptr) asked.push_back(BytePosition::from(rows->position()));
    return bytes_.read(block);
  }
  [[nodiscard]] bool stopped() const override { return false; }
  [[nodiscard]] const std::string& name() const override { return bytes_.name(); }

  CsvRowSource* rows = nullptr;
  std::vector<BytePosition> asked;

 private:
  MemorySource bytes_;
};

TEST(SourcePosition, MayBeAskedForWhileTheNextRowIsWaitedFor) {
  for (const std::string& text : kInputs) {
    const Reading expected = read_through(text);
    AskingSource bytes(text);
    CsvRowSource source(bytes, testing::one_feature(), testing::tracked({.block = 4}));
    bytes.rows = &source;
    Row row;
    for (std::size_t rows = 0;; ++rows) {
      bytes.asked.clear();
      const bool more = source.next(row);
      for (const BytePosition& position : bytes.asked) ASSERT_EQ(position, expected.positions[rows]) << visible(text);
      if (!more) break;
      ASSERT_EQ(source.position(), expected.positions[rows + 1]) << visible(text);
    }
  }
}

TEST(SourcePosition, IsNotKeptUnlessAskedFor) {
  MemorySource bytes("a,y\n1,2\n");
  CsvRowSource source(bytes, testing::one_feature());
  EXPECT_THROW((void)source.position(), std::logic_error);
  EXPECT_THROW((void)source.resume({}), std::logic_error);
}

TEST(SourcePosition, OfBytesIsTheSameAfterItWasWrittenDown) {
  for (const BytePosition& position : read_through("a,y\n1,2\n3,4").positions) {
    const SourcePosition opaque = position;
    EXPECT_EQ(opaque.kind, "bytes");
    EXPECT_EQ(opaque.records, position.records);
    EXPECT_EQ(BytePosition::from(opaque), position);
  }
}

// A source that takes rows from a queue of numbers, not from bytes: its position is the number of the next one.
class QueueRows final : public RowSource {
 public:
  explicit QueueRows(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] bool stopped() const override { return false; }
  [[nodiscard]] SourcePosition position() override { return {"queue", next_, std::to_string(next_)}; }
  [[nodiscard]] bool resume(const SourcePosition& consumed, const ResumeProgress& /*progress*/ = {}) override {
    if (consumed.kind != "queue") throw SourceChanged("another kind of source");
    return skip_to(std::stoull(consumed.state));
  }
  [[nodiscard]] bool skip_to(std::uint64_t records) override {
    next_ = records;
    return true;
  }
  [[nodiscard]] bool skipped_remainder() const override { return false; }

 private:
  std::optional<RowFault> read(Row& row) override {
    if (next_ == numbers_.size()) return std::nullopt;
    row.values.assign(1, numbers_[next_]);
    row.target = numbers_[next_++];
    return row.target < 0 ? RowFault::missing : RowFault::none;
  }

  std::vector<double> numbers_;
  std::size_t next_ = 0;
};

TEST(SourcePosition, IsTheBusinessOfTheKindOfSourceThatMadeIt) {
  QueueRows first({1.0, -1.0, 3.0});
  Row row;
  ASSERT_TRUE(first.next(row));
  ASSERT_TRUE(first.next(row));
  EXPECT_FALSE(row.usable);
  EXPECT_TRUE(std::isnan(row.values[0]));
  EXPECT_EQ(first.tally().missing, 1u);
  QueueRows again({1.0, -1.0, 3.0});
  ASSERT_TRUE(again.resume(first.position()));
  ASSERT_TRUE(again.next(row));
  EXPECT_EQ(row.target, 3.0);
  EXPECT_FALSE(again.next(row));

  MemorySource bytes("a,y\n1,2\n");
  EXPECT_FALSE(starts_with(bytes, first.position()));
  CsvRowSource csv(bytes, testing::one_feature(), testing::tracked({}));
  EXPECT_THROW((void)csv.resume(first.position()), SourceChanged);
  EXPECT_THROW((void)csv.resume({"bytes", 1, "too short"}), SourceChanged);
  EXPECT_THROW((void)QueueRows({}).resume(csv.position()), SourceChanged);
}

TEST(StartsWith, AnInputIsRecognisedByWhatWasConsumedOfItAndByNothingElse) {
  const std::string text = "a,y\n1,2\n3,4\n5,6\n";
  const auto recognised = [](std::string_view bytes, const BytePosition& position) {
    MemorySource source(bytes, 5);
    return starts_with(source, position);
  };
  for (const BytePosition& position : read_through(text).positions) {
    EXPECT_TRUE(recognised(text, position));
    EXPECT_TRUE(recognised(text + "7,8\n", position));
    EXPECT_TRUE(recognised(text.substr(0, position.bytes), position));
    EXPECT_FALSE(recognised(text.substr(0, position.bytes - 1), position));
    EXPECT_FALSE(recognised("", position));
    for (std::size_t i = 0; i < position.bytes; ++i) {
      std::string changed = text;
      changed[i] = '8';
      EXPECT_FALSE(recognised(changed, position)) << i;
    }
  }
  EXPECT_FALSE(recognised(text, BytePosition{}));
}

TEST(StartsWith, ALongInputIsReadNoFurtherThanItMustBe) {
  const std::string text(std::size_t{1} << 20, 'x');
  const BytePosition position{700'001, 0, digest_of(text.substr(0, 700'001)), false};
  MemorySource source(text, 100'000);
  EXPECT_TRUE(starts_with(source, position));
  std::string rest(text.size(), '\0');
  std::size_t left = 0;
  while (const std::size_t length = source.read(rest)) left += length;
  EXPECT_EQ(left, text.size() - 700'001);
}

}  // namespace
}  // namespace rivulet::input
