#include <gtest/gtest.h>

#include "log/statistics_bytes.h"

namespace rivulet::log {
namespace {

// FIPS 180-4, appendix B, and the empty message.
TEST(Digest, IsSha256) {
  EXPECT_EQ(hexadecimal(Digest().finish()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(Digest().add("abc").finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(Digest().add("abcdbcdecdefdefgefghfghighij").add("hijkijkljklmklmnlmnomnopnopq").finish()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, IsEmptyAgainAfterItIsFinished) {
  Digest digest;
  const std::string first = digest.add("abc").finish();
  EXPECT_EQ(digest.add("a").add("bc").finish(), first);
}

}  // namespace
}  // namespace rivulet::log
