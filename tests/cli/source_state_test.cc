// Where a durable fit stands in its inputs, as bytes of a model file.
#include "cli/source_state.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "input/record_reader.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

input::BytePosition some_prefix() {
  input::BytePosition prefix{1234, 56, {}, true};
  for (std::size_t i = 0; i < prefix.digest.size(); ++i) prefix.digest[i] = static_cast<unsigned char>(i);
  return prefix;
}

SourceState some_state() {
  SourceState state;
  state.input = "/rows.svm";
  state.format = input::parse_row_format("libsvm");
  state.position = some_prefix();
  state.finished = {input::BytePosition{7, 1, {}, false}};
  state.tally.rows = 57;
  return state;
}

// Byte for byte what earlier versions wrote: offset, rows, digest, whether the last line was complete.
TEST(SourceState, PrefixesOfBytesAreWrittenAsTheyAlwaysWere) {
  ByteWriter expected;
  expected.u64(2);
  expected.text("/rows.svm");
  expected.u64(',');
  expected.text("");
  std::string digest;
  for (char i = 0; i < 32; ++i) digest += i;
  expected.u64(1234);
  expected.u64(56);
  expected.raw(digest);
  expected.u64(1);
  expected.u64(1);
  expected.u64(7);
  expected.u64(1);
  expected.raw(std::string(32, '\0'));
  expected.u64(0);
  expected.u64(57);
  for (int i = 0; i < 10; ++i) expected.u64(0);
  expected.u64(1);
  EXPECT_EQ(to_bytes(some_state()), expected.bytes());

  const SourceState read = source_state_from(expected.bytes());
  EXPECT_EQ(read.position, some_state().position);
  EXPECT_EQ(read.finished, some_state().finished);
  EXPECT_EQ(read.format, some_state().format);
  EXPECT_TRUE(read.started());
  EXPECT_EQ(to_bytes(read), expected.bytes());
}

TEST(SourceState, NothingConsumedIsNoPosition) {
  const SourceState read = source_state_from(to_bytes(SourceState{}));
  EXPECT_EQ(read.position, input::SourcePosition{});
  EXPECT_FALSE(read.started());
  SourceState nothing;
  nothing.position = input::BytePosition{0, 0, some_prefix().digest, false};
  EXPECT_FALSE(nothing.started());
  EXPECT_EQ(source_state_from(to_bytes(nothing)).position, nothing.position);
}

TEST(SourceState, PositionsOfOtherKindsOfSourceAreKeptWhole) {
  SourceState state = some_state();
  state.position = {"queue", 3, std::string("partition 0\0offset 3", 20)};
  state.elsewhere = 9;
  const SourceState read = source_state_from(to_bytes(state));
  EXPECT_EQ(read.position, state.position);
  EXPECT_EQ(read.finished, state.finished);
  EXPECT_EQ(read.elsewhere, 9u);
  EXPECT_TRUE(read.started());
  std::string damaged = to_bytes(state);
  damaged[0] = 5;
  EXPECT_THROW((void)source_state_from(damaged), DamagedFile);
}

}  // namespace
}  // namespace rivulet::cli
