// Entries that may never change: a stored model is continued, or fitted again, with the matrix its seed names. The
// expected values come from a separate program in Python (integers for Philox, statistics.NormalDist.inv_cdf for the
// normal quantile), not from this code.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "base/sha256.h"
#include "sketch/maps.h"

namespace rivulet::sketch {
namespace {

constexpr std::uint64_t kSeed = 0x0123456789abcdef;

// Of all entries, column after column, as little-endian doubles.
std::string digest(const LinearMap& map) {
  Sha256 hash;
  for (std::size_t column = 0; column < map.columns(); ++column) {
    std::string bytes;
    for (const double entry : column_of(map, column)) {
      const auto bits = std::bit_cast<std::uint64_t>(entry);
      for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
    }
    hash.update(bytes);
  }
  std::string text;
  for (const unsigned char byte : hash.digest()) {
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

TEST(GoldenMatrix, GaussianEntriesAreWhatTheyAlwaysWere) {
  for (const std::size_t memory : {kColumnMemory, std::size_t{0}}) {
    const auto map = make_embedding(gaussian(401, 1000, kSeed), memory);
    const std::vector<double> column = column_of(*map, 7);
    EXPECT_EQ(column[0], -0x1.201344p-5);
    EXPECT_EQ(column[1], -0x1.cdaab6p-5);
    EXPECT_EQ(column[2], -0x1.d41570p-5);
    EXPECT_EQ(digest(*map), "f56ebdb4858f75096a03a79f64ae79a49c9aa1b4644bfc536ff18c6159f81772");
  }
}

TEST(GoldenMatrix, SparseSignsAreWhatTheyAlwaysWere) {
  for (const std::size_t memory : {kColumnMemory, std::size_t{0}}) {
    const auto map = make_embedding(sparse_sign(403, 1000, 8, kSeed), memory);
    const std::vector<double> column = column_of(*map, 7);
    for (const std::size_t row : {26, 56, 108, 173, 233, 351}) EXPECT_GT(column[row], 0.0) << row;
    for (const std::size_t row : {276, 371}) EXPECT_LT(column[row], 0.0) << row;
    EXPECT_EQ(digest(*map), "160b626d2fd5e04e9538a89be3c82a154ddc23821af0490c4de5afa8e17391ac");
  }
}

}  // namespace
}  // namespace rivulet::sketch
