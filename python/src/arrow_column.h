// One column of an Arrow table: numbers, text or dictionary codes, read row by row where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.h"
#include "rivulet/row_layout.h"

namespace rivulet::python {

class ArrowColumn {
 public:
  // `schema` must outlive this. Throws RequestError naming the column when its type holds neither numbers nor text.
  ArrowColumn(const ArrowSchema& schema, std::string name);

  [[nodiscard]] bool holds_text() const {
    return kind_ == Kind::text || (kind_ == Kind::dictionary && dictionary_.front().holds_text());
  }
  // Whether its values can say whose row it is: text and whole numbers can.
  [[nodiscard]] bool holds_identities() const;

  // Rows [begin, begin + count) of `array`, whose rows begin at `offset`, to out[0], out[stride], ...; NaN for missing
  // ones, and for text.
  void numbers(const ArrowArray& array, std::int64_t begin, std::size_t count, double* out, std::size_t stride) const;
  // Places of levels, kNoLevel for missing and undeclared ones; as many rows as `out` has room for.
  void levels(const ArrowArray& array, std::int64_t begin, const LevelNames& names, std::vector<int>& out) const;
  // Whose row each is: text or whole numbers, empty where it does not say.
  void units(const ArrowArray& array, std::int64_t begin, std::vector<std::string>& out) const;

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
