#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rivulet {
namespace {

TEST(Bytes, AreLittleEndianAndOfFixedWidth) {
  ByteWriter writer;
  writer.u64(0x0102030405060708);
  writer.i64(-2);
  writer.f64(1.0);
  writer.i128(-(Int128{1} << 64));
  writer.text("ab");
  writer.raw("c");
  EXPECT_EQ(writer.bytes(), std::string("\x08\x07\x06\x05\x04\x03\x02\x01", 8) + "\xfe" + std::string(7, '\xff') +
                                std::string("\0\0\0\0\0\0\xf0\x3f", 8) + std::string(8, '\0') + std::string(8, '\xff') +
                                std::string("\2\0\0\0\0\0\0\0", 8) + "abc");
}

TEST(Bytes, ReadBackAsWhatWasWritten) {
  const std::vector<std::int64_t> whole{0, -1, std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max()};
  const std::vector<double> real{0.0, -0.0, 5e-324, -1e308, HUGE_VAL};
  const std::vector<Int128> wide{0, -1, (Int128{1} << 100) - 1, -(Int128{1} << 100) + 1};
  ByteWriter writer;
  writer.all(whole);
  writer.all(real);
  writer.all(wide);
  writer.text(std::string(1000, '\0'));
  writer.text("");
  const std::string bytes = writer.take();
  EXPECT_TRUE(writer.bytes().empty());
  ByteReader reader(bytes, "it");
  std::vector<std::int64_t> whole_again;
  std::vector<double> real_again;
  std::vector<Int128> wide_again;
  reader.all(whole_again, 4);
  reader.all(real_again, 5);
  reader.all(wide_again, 4, 100);
  EXPECT_EQ(whole_again, whole);
  EXPECT_EQ(real_again, real);
  EXPECT_TRUE(std::signbit(real_again[1]));
  EXPECT_TRUE(wide_again == wide);
  EXPECT_EQ(reader.text(), std::string(1000, '\0'));
  EXPECT_EQ(reader.text(), "");
  reader.finish();
}

TEST(Bytes, ThatEndTooEarlyOrLateAreDamageWhateverLengthTheyClaim) {
  ByteWriter writer;
  writer.all(std::vector<std::int64_t>{1, 2, 3});
  const std::string whole = writer.take();
  std::vector<std::int64_t> out;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ByteReader reader(std::string_view(whole).substr(0, length), "it");
    EXPECT_THROW(reader.all(out, 3), DamagedFile) << length;
  }
  for (const std::uint64_t claimed : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{1} << 61,
                                      (std::uint64_t{1} << 61) + 3, ~std::uint64_t{0}}) {
    ByteWriter liar;
    liar.u64(claimed);
    liar.raw(std::string_view(whole).substr(8));
    ByteReader reader(liar.bytes(), "it");
    EXPECT_THROW(reader.all(out, 3), DamagedFile) << claimed;
    ByteReader text(liar.bytes(), "it");
    if (claimed > 24) {
      EXPECT_THROW(text.text(), DamagedFile) << claimed;
    }
  }
  ByteReader reader(whole, "it");
  reader.all(out, 3);
  EXPECT_NO_THROW(reader.finish());
  const std::string longer = whole + "x";
  ByteReader rest(longer, "the file");
  rest.all(out, 3);
  try {
    rest.finish();
    FAIL();
  } catch (const DamagedFile& error) {
    EXPECT_STREQ(error.what(), "the file is damaged: it is longer than it should be");
  }
}

TEST(Bytes, WideNumbersBeyondTheirLimitAreDamage) {
  for (const Int128 value : {Int128{1} << 100, -(Int128{1} << 100), Int128{1} << 126, -(Int128{1} << 126) - 1}) {
    ByteWriter writer;
    writer.all(std::vector<Int128>{value});
    ByteReader reader(writer.bytes(), "it");
    std::vector<Int128> out;
    EXPECT_THROW(reader.all(out, 1, 100), DamagedFile);
  }
}

TEST(Bytes, GrowAcrossManyAllocationsWithoutALoss) {
  ByteWriter writer;
  std::string expected;
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string part(length, static_cast<char>(length));
    writer.raw(part);
    expected += part;
    ASSERT_EQ(writer.bytes(), expected);
  }
}

}  // namespace
}  // namespace rivulet
