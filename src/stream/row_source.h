// Rows of numbers from a CSV stream with a header, in the order a schema lays them out.
//
// This is the row side of the wall: what it hands out is sensitive and belongs to the kernel alone. Its errors name
// columns and lines, never the content of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rivulet/schema.h"
#include "stream/byte_source.h"
#include "stream/consumed_prefix.h"
#include "stream/csv_reader.h"
#include "stream/source_position.h"

namespace rivulet::stream {

// In the user's units; not clamped to the bounds. A row that cannot be used has every number set to a quiet NaN.
struct Row {
  std::vector<double> values;  // Schema::row_width() of them
  double target = 0.0;         // a quiet NaN, too, when no target was asked for
  std::string unit;            // whose row it is; empty when no unit column was asked for or the row does not say
  bool usable = false;
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
  std::uint64_t missing_unit = 0;   // an empty cell, NA, NaN or null in the unit column

  [[nodiscard]] std::uint64_t unusable() const {
    return ragged + malformed + missing + not_a_number + unknown_level + missing_unit;
  }
  OperatorTally& operator+=(const OperatorTally& other);
  bool operator==(const OperatorTally&) const = default;
};

struct CsvRowOptions {
  CsvOptions csv{};
  bool needs_target = true;  // false: the target column is not looked at and need not be there, as for a prediction
  // The column that says whose row it is: neither a feature nor the target.
  std::optional<std::string> unit_column{};
  bool track_position = false;  // for position() and resume(), at the price of hashing every byte
};

class CsvRowSource {
 public:
  // Told now and then how many bytes of the prefix have been read again.
  using ResumeProgress = std::function<void(std::uint64_t bytes)>;

  // Reads the header. Throws RequestError when a column that is needed is not in it or is there twice, or when the unit
  // column is declared as something else; IoError when there is no header at all. The byte source must outlive this;
  // the schema is copied into what is needed of it.
  CsvRowSource(ByteSource& source, const Schema& schema, CsvOptions options = {});
  CsvRowSource(ByteSource& source, const Schema& schema, const CsvRowOptions& options);

  // Goes on where another CsvRowSource left an input, of which this one has read the header and no row: reads what was
  // consumed once more, from the beginning of the source, and checks that it is the same. next() then gives the first
  // row that was not consumed. position() is `consumed` until then; the tally counts the rows that next() gives.
  //
  // A last row that was consumed without its line end may have grown since. Wherever it ends now, the rest of it
  // belongs to a row that was counted and is skipped: see skipped_remainder().
  //
  // False when the source was stopped first: nothing was consumed, and resume() with the same position may be called
  // again. Throws SourceChanged when the input does not begin with what was consumed, is shorter, or is divided into
  // other rows (by another delimiter), and passes on IoError. Until it returned true next() throws std::logic_error,
  // so that no row can be consumed twice; resume() does when positions are not tracked or a row was read.
  [[nodiscard]] bool resume(const SourcePosition& consumed, const ResumeProgress& progress = {});
  // Whether resume() skipped the rest of a row that was counted while it was still being written.
  [[nodiscard]] bool skipped_remainder() const { return skipped_remainder_; }

  // Fills `row` with the next row, unusable ones included: each record after the header is one row. False at the end of
  // the input or when the source was stopped (ByteSource::stopped()). Passes on IoError.
  bool next(Row& row);

  // As of the last row that next() gave, that row included. Hashes what was not hashed yet, a block at most unless a
  // row is longer: not for every row. May be asked for while next() waits inside the byte source. Throws
  // std::logic_error when positions are not tracked.
  [[nodiscard]] SourcePosition position() const;
  [[nodiscard]] const OperatorTally& tally() const { return tally_; }

 private:
  enum class Fault { none, missing, not_a_number, unknown_level, missing_unit };

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

  void bind(const Schema& schema, const CsvRowOptions& options, const std::vector<std::string>& header);
  void check_resumed(const SourcePosition& consumed) const;
  void mark_consumed();
  static Fault read_number(std::string_view cell, double& number);
  static Fault read_level(std::string_view cell, const CategoricalColumn& column, std::vector<double>& values);
  Fault read_fields(const Record& record, Row& row);
  void count(Fault fault);

  ByteSource& source_;
  std::unique_ptr<ConsumedPrefix> prefix_;  // null when positions are not tracked
  CsvReader reader_;
  std::size_t row_width_;
  std::optional<std::size_t> target_field_;
  std::optional<std::size_t> unit_field_;
  std::vector<NumericColumn> numeric_;
  std::vector<CategoricalColumn> categorical_;
  OperatorTally tally_;
  std::uint64_t resumed_rows_ = 0;  // consumed before, read again by resume()
  bool resuming_ = false;           // resume() was called and has not succeeded
  bool mid_line_ = false;           // of the last row consumed
  bool skipped_remainder_ = false;
};

}  // namespace rivulet::stream
