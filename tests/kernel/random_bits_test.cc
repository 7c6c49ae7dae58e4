#include "kernel/random_bits.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace rivulet::kernel {
namespace {

std::vector<std::byte> take(RandomBits& bits, std::size_t count) {
  std::vector<std::byte> out(count);
  bits.fill(out);
  return out;
}

TEST(RandomBits, InsecureBitsAreAesCounterModeUnderTheSeedsDigest) {
  const std::uint64_t seed = 42;
  const std::uint64_t seed_and_stream[] = {seed, 0};
  unsigned char key[32];
  unsigned int written = 0;
  ASSERT_EQ(EVP_Digest(seed_and_stream, sizeof seed_and_stream, key, &written, EVP_sha256(), nullptr), 1);
  const unsigned char counter[16] = {};
  std::vector<unsigned char> stream(48 + 1000, 0);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int length = 0;
  ASSERT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key, counter), 1);
  ASSERT_EQ(EVP_EncryptUpdate(context, stream.data(), &length, stream.data(), static_cast<int>(stream.size())), 1);
  EVP_CIPHER_CTX_free(context);
  RandomBits bits = RandomBits::insecure(seed);
  const auto first = take(bits, 1000);
  // The first 48 bytes of the keystream are the next key and never handed out.
  EXPECT_EQ(std::memcmp(first.data(), stream.data() + 48, 1000), 0);
}

TEST(RandomBits, EachBlockIsMadeUnderAKeyTheBlockBeforeItGave) {
  // The second block's key and counter are the first 48 bytes of the first block's keystream, which are never handed
  // out.
  const std::uint64_t seed = 42;
  const std::uint64_t seed_and_stream[] = {seed, 0};
  constexpr std::size_t kBlock = 32768;
  unsigned char key[48] = {};
  unsigned int written = 0;
  ASSERT_EQ(EVP_Digest(seed_and_stream, sizeof seed_and_stream, key, &written, EVP_sha256(), nullptr), 1);
  RandomBits bits = RandomBits::insecure(seed);
  for (int block = 0; block < 3; ++block) {
    std::vector<unsigned char> stream(48 + kBlock, 0);
    EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
    int length = 0;
    ASSERT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key, key + 32), 1);
    ASSERT_EQ(EVP_EncryptUpdate(context, stream.data(), &length, stream.data(), static_cast<int>(stream.size())), 1);
    EVP_CIPHER_CTX_free(context);
    EXPECT_EQ(std::memcmp(take(bits, kBlock).data(), stream.data() + 48, kBlock), 0) << block;
    std::memcpy(key, stream.data(), 48);
  }
}

TEST(RandomBits, SecureSeedsHaveFarMoreThanThirtyTwoBitsOfEntropy) {
  // 2^18 generators whose seeds had 32 bits would share a first word about 8 times; with 256 bits a shared 64-bit word
  // has probability 2^-29.
  std::set<std::uint64_t> seen;
  for (int i = 0; i < (1 << 18); ++i) ASSERT_TRUE(seen.insert(RandomBits::secure().next64()).second) << i;
}

TEST(RandomBits, TheSameSeedGivesTheSameBitsHoweverTheyAreTaken) {
  RandomBits one = RandomBits::insecure(7);
  RandomBits two = RandomBits::insecure(7);
  const auto whole = take(one, 200000);
  std::vector<std::byte> pieces;
  for (std::size_t size = 1; pieces.size() < whole.size(); size = size * 3 % 5003 + 1) {
    const auto piece = take(two, std::min(size, whole.size() - pieces.size()));
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  EXPECT_TRUE(whole == pieces);
}

TEST(RandomBits, SecureGeneratorsAndDifferentSeedsDiffer) {
  RandomBits a = RandomBits::secure();
  RandomBits b = RandomBits::secure();
  EXPECT_FALSE(take(a, 32) == take(b, 32));
  RandomBits c = RandomBits::insecure(1);
  RandomBits d = RandomBits::insecure(2);
  EXPECT_FALSE(take(c, 32) == take(d, 32));
}

TEST(RandomBits, StreamsOfOneSeedAreAsDifferentAsSeeds) {
  // The first word of 500 streams of 4 seeds: equal words by chance have probability below 2^-42.
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t stream = 0; stream < 500; ++stream) {
      EXPECT_TRUE(seen.insert(RandomBits::insecure(seed, stream).next64()).second) << seed << " " << stream;
    }
    EXPECT_EQ(RandomBits::insecure(seed).next64(), RandomBits::insecure(seed, 0).next64());
  }
}

TEST(RandomBits, NoBlockIsEverRepeated) {
  RandomBits bits = RandomBits::secure();
  const auto first = take(bits, 65536);
  const auto second = take(bits, 65536);
  EXPECT_FALSE(first == second);
}

TEST(RandomBits, AboutHalfTheBitsAreOnes) {
  RandomBits bits = RandomBits::secure();
  double ones = 0.0;
  constexpr int kWords = 100000;
  for (int i = 0; i < kWords; ++i) ones += __builtin_popcountll(bits.next64());
  // Standard deviation sqrt(64 n)/2; 5 of them is a false alarm with probability below 1e-6.
  EXPECT_NEAR(ones, 32.0 * kWords, 5.0 * std::sqrt(64.0 * kWords) / 2.0);
}

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
