// Rows in whatever form Python holds them, handed to the library block by block. What is in here is sensitive: it goes
// to a stream, a model's predict() or a keyed fingerprint, and nowhere else.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/sparse_row.h"

namespace rivulet::python {

inline constexpr std::size_t kBlockRows = 1024;

struct RowBlock {
  std::size_t count = 0;
  const double* values = nullptr;           // row-major, as many a row as are supplied; of dense rows
  const double* targets = nullptr;          // null where rows have none
  const std::string_view* units = nullptr;  // null where rows have none
  const std::int64_t* offsets = nullptr;    // of sparse rows: count + 1 of them, into the two below
  const std::uint32_t* positions = nullptr;
  const double* entries = nullptr;

  [[nodiscard]] bool sparse() const { return offsets != nullptr; }
  [[nodiscard]] SparseRow sparse_row(std::size_t row) const {
    const auto begin = static_cast<std::size_t>(offsets[row]);
    const auto length = static_cast<std::size_t>(offsets[row + 1]) - begin;
    return {{positions + begin, length}, {entries + begin, length}};
  }
};

// Can be gone through once.
class Rows {
 public:
  virtual ~Rows() = default;
  // The next rows; false when there are no more. Needs no GIL. What the block points to lives until the next call.
  virtual bool next(RowBlock& block) = 0;
  [[nodiscard]] std::size_t width() const { return width_; }

 protected:
  explicit Rows(std::size_t width) : width_(width) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

 private:
  std::size_t width_;
};

void bind_rows(nanobind::module_& module);
void bind_array_rows(nanobind::module_& module);
void bind_row_columns(nanobind::module_& module);
void bind_arrow_rows(nanobind::module_& module);

}  // namespace rivulet::python
