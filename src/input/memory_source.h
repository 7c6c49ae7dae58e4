// A byte source over memory, handed out in pieces of a chosen size: for tests, fuzzers and benchmarks.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "input/byte_source.h"

namespace rivulet::input {

// Does not copy: the bytes must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::size_t piece = std::numeric_limits<std::size_t>::max())
      : bytes_(bytes), piece_(piece) {}

  std::size_t read(std::span<char> block) override {
    const std::size_t length = std::min({block.size(), piece_, bytes_.size()});
    if (length > 0) std::memcpy(block.data(), bytes_.data(), length);
    bytes_.remove_prefix(length);
    return length;
  }
  [[nodiscard]] bool stopped() const override { return false; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string_view bytes_;
  std::size_t piece_;
  std::string name_ = "memory";
};

}  // namespace rivulet::input
