// Numbers as bytes: little-endian, fixed width, the same on every machine. Reading trusts nothing: running out of
// bytes, a length beyond what is there or bytes left over is an error, never a guess. Writing leaves no copies behind
// in freed memory, because what is written may be sensitive.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "rivulet/error.h"

namespace rivulet {

class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;
  ~ByteWriter() { wipe(); }

  void u64(std::uint64_t value) { integer(value); }
  void i64(std::int64_t value) { integer(static_cast<std::uint64_t>(value)); }
  void i32(std::int32_t value) { integer(static_cast<std::uint32_t>(value), 4); }
  void f64(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void i128(Int128 value) {
    u64(static_cast<std::uint64_t>(value));
    u64(static_cast<std::uint64_t>(static_cast<UInt128>(value) >> 64));
  }
  // With its length.
  void text(std::string_view value) {
    u64(value.size());
    append(value);
  }
  // Without: the reader must know how long it is.
  void raw(std::string_view value) { append(value); }

  // Each with the number of entries in front.
  void all(const std::vector<double>& values) {
    each(values, [this](double v) { f64(v); });
  }
  void all(const std::vector<std::int64_t>& values) {
    each(values, [this](std::int64_t v) { i64(v); });
  }
  void all(const std::vector<Int128>& values) {
    each(values, [this](Int128 v) { i128(v); });
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  // Whoever takes them sees to their end.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

 private:
  void integer(std::uint64_t value, std::size_t width = 8) {
    char little[8];
    for (char& byte : little) {
      byte = static_cast<char>(value & 0xff);
      value >>= 8;
    }
    append({little, width});
  }
  void append(std::string_view value) {
    if (value.size() > bytes_.capacity() - bytes_.size()) {
      std::string larger;
      larger.reserve(std::max(2 * bytes_.capacity(), bytes_.size() + value.size()));
      larger.append(bytes_);
      wipe();
      bytes_ = std::move(larger);
    }
    bytes_.append(value);
  }
  void wipe() {
    for (volatile char& byte : bytes_) byte = 0;
  }
  template <typename Values, typename Write>
  void each(const Values& values, Write write) {
    u64(values.size());
    for (const auto& value : values) write(value);
  }

  std::string bytes_;
};

// A few numbers, one after another.
inline std::string u64_bytes(std::initializer_list<std::uint64_t> numbers) {
  ByteWriter writer;
  for (const std::uint64_t number : numbers) writer.u64(number);
  return writer.take();
}

class ByteReader {
 public:
  // `what` names the bytes in messages, e.g. "model file: the release of step 3". The bytes must outlive the reader.
  ByteReader(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  std::uint64_t u64() { return integer(8); }
  std::int32_t i32() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(integer(4))); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64() { return std::bit_cast<double>(u64()); }
  Int128 i128() {
    const UInt128 low = u64();
    const UInt128 high = u64();
    return static_cast<Int128>(high << 64 | low);
  }
  std::string_view text() { return raw(count(1)); }
  std::string_view raw(std::size_t length) {
    if (length > bytes_.size()) damaged("it ends too early");
    const std::string_view part = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return part;
  }

  // Exactly `expected` entries; another number of them is damage.
  void all(std::vector<double>& out, std::size_t expected) {
    each(out, expected, 8, [this] { return f64(); });
  }
  void all(std::vector<std::int64_t>& out, std::size_t expected) {
    each(out, expected, 8, [this] { return i64(); });
  }
  // Entries below 2^bits in magnitude: larger ones, added up, might not fit an integer any more. bits < 127.
  void all(std::vector<Int128>& out, std::size_t expected, unsigned bits) {
    const Int128 limit = Int128{1} << bits;
    each(out, expected, 16, [this, limit] {
      const Int128 value = i128();
      if (value <= -limit || value >= limit) damaged("a number is larger than any it can hold");
      return value;
    });
  }
  // A number of things of at least `smallest` bytes each.
  std::size_t count(std::size_t smallest) {
    const std::uint64_t number = u64();
    if (number > bytes_.size() / smallest) damaged("it ends too early");
    return static_cast<std::size_t>(number);
  }

  // Throws unless every byte was used.
  void finish() const {
    if (!bytes_.empty()) damaged("it is longer than it should be");
  }
  [[noreturn]] void damaged(const std::string& how) const { throw DamagedFile(what_ + " is damaged: " + how); }

 private:
  std::uint64_t integer(std::size_t width) {
    const std::string_view little = raw(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(little[i]);
    return value;
  }
  template <typename Values, typename Read>
  void each(Values& out, std::size_t expected, std::size_t width, Read read) {
    if (count(width) != expected) damaged("it holds another number of entries than its mechanism has");
    out.resize(expected);
    for (auto& value : out) value = read();
  }

  std::string_view bytes_;
  std::string what_;
};

}  // namespace rivulet
