// Rows of numbers from a CSV stream with a header, in the order a schema lays them out.
//
// This is the row side of the wall: what it hands out is sensitive and belongs to the kernel alone. Its errors name
// columns and lines, never the content of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rivulet/schema.h"
#include "stream/byte_source.h"
#include "stream/csv_reader.h"

namespace rivulet::stream {

// In the user's units; not clamped to the bounds. A row that cannot be used has every number set to a quiet NaN.
struct Row {
  std::vector<double> values;  // Schema::row_width() of them
  double target = 0.0;
};

// For the operator's eyes only: these counts depend on the rows exactly and must never be published, stored with the
// releases or shown to whoever sees the models. A row with several faults counts once, under the first that is met.
struct OperatorTally {
  std::uint64_t rows = 0;           // all of them, usable or not
  std::uint64_t ragged = 0;         // another number of fields than the header
  std::uint64_t malformed = 0;      // not valid CSV, or longer than the record limit
  std::uint64_t missing = 0;        // an empty cell, NA, NaN or null
  std::uint64_t not_a_number = 0;   // text, infinity or beyond the largest double where a number is declared
  std::uint64_t unknown_level = 0;  // a category that was not declared

  [[nodiscard]] std::uint64_t unusable() const { return ragged + malformed + missing + not_a_number + unknown_level; }
};

class CsvRowSource {
 public:
  // Reads the header. Throws RequestError when a column of the schema is not in it or is there twice, IoError when
  // there is no header at all. The byte source must outlive this; the schema is copied into what is needed of it.
  CsvRowSource(ByteSource& source, const Schema& schema, CsvOptions options = {});

  // Fills `row` with the next row, unusable ones included: each record after the header is one row. False at the end of
  // the input or when the source was stopped (ByteSource::stopped()). Passes on IoError.
  bool next(Row& row);

  [[nodiscard]] const OperatorTally& tally() const { return tally_; }

 private:
  enum class Fault { none, missing, not_a_number, unknown_level };

  struct NumericColumn {
    std::size_t field;  // position in the record
    std::size_t value;  // position in Row::values
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct CategoricalColumn {
    std::size_t field;
    std::size_t first_value;
    std::size_t reference_levels;  // levels before the first that has a value of its own: 1 with an intercept, else 0
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> levels;
  };

  void bind(const Schema& schema, const std::vector<std::string>& header);
  static Fault read_number(std::string_view cell, double& number);
  static Fault read_level(std::string_view cell, const CategoricalColumn& column, std::vector<double>& values);
  Fault read_fields(const Record& record, Row& row);
  void count(Fault fault);

  std::string source_name_;
  CsvReader reader_;
  std::size_t row_width_;
  std::size_t target_field_ = 0;
  std::vector<NumericColumn> numeric_;
  std::vector<CategoricalColumn> categorical_;
  OperatorTally tally_;
};

}  // namespace rivulet::stream
