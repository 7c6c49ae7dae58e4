#include <gtest/gtest.h>

#include <set>

#include "sketch/public_random.h"

namespace rivulet::sketch {
namespace {

// The known answers that its authors publish with Random123 (tests/kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedKnownAnswers) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NoTwoColumnsStreamsOrSeedsShareWords) {
  std::set<PhiloxCounter> seen;
  std::size_t drawn = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const WordStream stream : {WordStream::gaussian, WordStream::sparse_sign}) {
      for (std::uint32_t column = 0; column < 50; ++column) {
        for (std::uint32_t group = 0; group < 50; ++group, ++drawn) {
          seen.insert(column_words(seed, stream, column, group));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

}  // namespace
}  // namespace rivulet::sketch
