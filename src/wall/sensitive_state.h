// What must never be published and yet leaves the kernel, besides noisy integers: the kernel's exact sums, the rows
// that PrivIncERM keeps and the count of rows by unit, which must survive a crash and go to the sensitive half of a
// model file alone; and the sums of a batch of rows, which go to another process of the same operator, through
// SensitiveBatchBytes alone. The content is out of reach for everybody else, and is wiped from memory when done with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rivulet {

class SensitiveBatchBytes;  // include/rivulet/row_batch.h
namespace kernel {
class HistoryKernel;
class Kernel;
class RowBatch;
class UnitCap;
}  // namespace kernel
namespace store {
class SensitiveHalf;
}

class SensitiveBytes {
 public:
  SensitiveBytes() = default;
  SensitiveBytes(SensitiveBytes&& other) noexcept : bytes_(std::move(other.bytes_)) { other.wipe(); }
  SensitiveBytes& operator=(SensitiveBytes&& other) noexcept {
    if (this != &other) {
      wipe();
      bytes_ = std::move(other.bytes_);
      other.wipe();
    }
    return *this;
  }
  SensitiveBytes(const SensitiveBytes&) = delete;
  SensitiveBytes& operator=(const SensitiveBytes&) = delete;
  ~SensitiveBytes() { wipe(); }

 private:
  friend class kernel::HistoryKernel;
  friend class kernel::Kernel;
  friend class kernel::RowBatch;
  friend class kernel::UnitCap;
  friend class store::SensitiveHalf;
  friend class rivulet::SensitiveBatchBytes;

  explicit SensitiveBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::string_view view() const { return bytes_; }
  void wipe() noexcept {
    for (volatile char& byte : bytes_) byte = 0;
    bytes_.clear();
  }

  std::string bytes_;
};

// Rows a unit has contributed. The tag is a keyed hash; the identifier itself is nowhere.
class SensitiveUnitCount {
 public:
  static constexpr std::size_t kTagBytes = 16;
  using Tag = std::array<char, kTagBytes>;

  SensitiveUnitCount() = default;

 private:
  friend class kernel::UnitCap;
  friend class store::SensitiveHalf;
  SensitiveUnitCount(const Tag& tag, std::uint64_t rows) : tag_(tag), rows_(rows) {}

  Tag tag_{};
  std::uint64_t rows_ = 0;
};

struct SensitiveState {
  SensitiveBytes kernel;
  SensitiveBytes history;                 // rows that are kept; saving: those since the last save; restoring: all
  std::vector<SensitiveUnitCount> units;  // saving: those that changed since the last save; restoring: all of them
};

}  // namespace rivulet
