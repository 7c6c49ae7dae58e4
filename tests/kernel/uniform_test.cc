#include "kernel/uniform.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rivulet::kernel {
namespace {

// Every word of eight bits, for every range: the words that are kept hit each value equally often.
TEST(UniformBelow, IsExactlyUniformOverAllWordsForEveryRange) {
  for (unsigned range = 1; range < 256; ++range) {
    std::vector<int> hits(range, 0);
    for (unsigned word = 0; word < 256; ++word) {
      bool kept = true;
      const auto value = uniform_below<std::uint8_t, std::uint16_t>(
          static_cast<std::uint8_t>(range), static_cast<std::uint8_t>(word), [&]() -> std::uint8_t {
            kept = false;  // thrown away: hand in a word that is always kept
            return 255;
          });
      ASSERT_LT(value, range);
      if (kept) ++hits[value];
    }
    for (const int count : hits) EXPECT_EQ(count, static_cast<int>(256 / range)) << range;
  }
}

TEST(UniformBelow, KeepsDrawingUntilAWordIsFree) {
  // For range 3 the one word in 256 to throw away is 0.
  int calls = 0;
  const auto value =
      uniform_below<std::uint8_t, std::uint16_t>(3, 0, [&]() -> std::uint8_t { return ++calls < 4 ? 0 : 200; });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(value, 2);
}

}  // namespace
}  // namespace rivulet::kernel
