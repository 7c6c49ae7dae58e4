// One column of an Arrow table: numbers, text or dictionary codes, read row by row where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.h"
#include "level_index.h"

namespace rivulet::python {

class ArrowColumn {
 public:
  // `schema` must outlive this. Throws RequestError naming the column when its type holds neither numbers nor text.
  ArrowColumn(const ArrowSchema& schema, std::string name);

  [[nodiscard]] bool holds_text() const { return kind_ == Kind::text; }

  // Rows [begin, begin + count) of `array`, whose rows begin at `offset`, to out[0], out[stride], ...; NaN for missing
  // ones. Throws RequestError for text.
  void numbers(const ArrowArray& array, std::int64_t begin, std::size_t count, double* out, std::size_t stride) const;
  // Places of levels, kNoLevel for missing and undeclared ones.
  void levels(const ArrowArray& array, std::int64_t begin, std::size_t count, const LevelIndex& index,
              std::vector<int>& out) const;
  // Text of each row, whole numbers in decimal, empty for missing ones.
  void texts(const ArrowArray& array, std::int64_t begin, std::size_t count, std::vector<std::string>& out) const;

 private:
  enum class Kind { nothing, truth, number, text, dictionary };
  enum class Layout { offsets32, offsets64, view };

  [[nodiscard]] std::optional<std::int64_t> whole(const ArrowArray& array, std::int64_t row) const;
  [[nodiscard]] double number(const ArrowArray& array, std::int64_t row) const;
  [[nodiscard]] std::string_view text(const ArrowArray& array, std::int64_t row) const;
  [[nodiscard]] std::string text_or_whole(const ArrowArray& array, std::int64_t row) const;

  std::string name_;
  Kind kind_ = Kind::number;
  Layout layout_ = Layout::offsets32;
  char format_ = 'g';
  std::vector<ArrowColumn> dictionary_;  // of its values; one or none
};

// Whether the row is there, by the validity bits of the array.
bool arrow_valid(const ArrowArray& array, std::int64_t row);

}  // namespace rivulet::python
