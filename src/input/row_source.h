// Rows of numbers, in the order a schema lays them out: what a row is as it is read, what may be wrong with it, and
// what every source of rows does, wherever it takes them from.
//
// This is the row side of the wall: what is handed out here is sensitive and belongs to the kernel alone. Errors name
// columns and lines, never the content of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/error.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"
#include "rivulet/sparse_row.h"

namespace rivulet::input {

class ByteSource;

// In the user's units; not clamped to the bounds. A row that cannot be used has every number set to a quiet NaN, a
// sparse one the number at position 0 and no other.
struct Row {
  std::vector<double> values;            // Schema::row_width() of them, or of a sparse row those at `positions`
  std::vector<std::uint32_t> positions;  // see SparseRow; of a sparse row alone
  double target = 0.0;                   // a quiet NaN, too, when no target was asked for
  std::string unit;  // whose row it is; empty when no unit column was asked for or the row does not say
  bool sparse = false;
  bool usable = false;

  // Of a sparse row; as long as the row lives and is not altered.
  [[nodiscard]] SparseRow sparse_view() const { return {positions, values}; }
};

// Why a row cannot be used.
enum class RowFault { none, ragged, malformed, missing, not_a_number, unknown_level, missing_unit, bad_index };
// Of a row with this cell.
RowFault row_fault(CellFault fault);

// For the operator's eyes only: these counts depend on the rows exactly and must never be published, stored with the
// releases or shown to whoever sees the models. A row with several faults counts once, under the first that is met.
struct OperatorTally {
  std::uint64_t rows = 0;           // all of them, usable or not
  std::uint64_t ragged = 0;         // another number of fields than the header
  std::uint64_t malformed = 0;      // not in the grammar of the format, or longer than the record limit
  std::uint64_t missing = 0;        // an empty cell, NA, NaN or null; no label
  std::uint64_t not_a_number = 0;   // text, infinity or beyond the largest double where a number is declared
  std::uint64_t unknown_level = 0;  // a category or class that was not declared
  std::uint64_t missing_unit = 0;   // an empty cell, NA, NaN or null in the unit column
  std::uint64_t bad_index = 0;      // of a libsvm row: 0, above the declared columns, or not above the one before

  [[nodiscard]] std::uint64_t unusable() const {
    return ragged + malformed + missing + not_a_number + unknown_level + missing_unit + bad_index;
  }
  // One row more.
  void count(RowFault fault);
  OperatorTally& operator+=(const OperatorTally& other);
  bool operator==(const OperatorTally&) const = default;
};

// How far an input has been consumed, in a form that recognises the input again: a model that is stored remembers it,
// goes on at the next row, and refuses an input that is not the one it was made of. What is in it is known to the kind
// of source that made it, and to nobody else: a prefix of bytes (BytePosition), the offsets of a queue. Sensitive:
// where rows end and what they hash to depends on them exactly.
struct SourcePosition {
  std::string kind;           // of source; empty before anything was consumed
  std::uint64_t records = 0;  // rows
  std::string state;          // whatever such a source needs to go on there

  bool operator==(const SourcePosition&) const = default;
};

// The input does not begin with what was consumed of it.
class SourceChanged : public Error {
 public:
  using Error::Error;
};

class RowSource {
 public:
  // Told now and then how much of what was consumed has been read again, in the source's own measure.
  using ResumeProgress = std::function<void(std::uint64_t so_far, std::uint64_t all)>;

  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // Fills `row` with the next row, unusable ones included. False at the end of the input or when the source was
  // stopped(). Passes on IoError.
  bool next(Row& row);
  // True when the last next(), resume() or skip_to() came back early because a stop was asked for. The input is not at
  // its end; the call may be made again.
  [[nodiscard]] virtual bool stopped() const = 0;
  [[nodiscard]] const OperatorTally& tally() const { return tally_; }

  // As of the last row that next() gave, that row included. May be asked for while next() waits for input. Throws
  // std::logic_error when positions are not tracked.
  [[nodiscard]] virtual SourcePosition position() = 0;
  // Goes on where another source of the same kind left an input, of which this one has read no row: checks that it is
  // the same input. next() then gives the first row that was not consumed. position() is `consumed` until then; the
  // tally counts the rows that next() gives.
  //
  // A last row that was consumed before it was complete may have grown since. Wherever it ends now, the rest of it
  // belongs to a row that was counted and is skipped: see skipped_remainder().
  //
  // False when the source was stopped first: nothing was consumed, and resume() with the same position may be called
  // again. Throws SourceChanged when the position is of another kind, or the input does not begin with what was
  // consumed, is shorter, or is divided into other rows (by another delimiter), and passes on IoError. Until it
  // returned true next() throws std::logic_error, so that no row can be consumed twice; resume() does when positions
  // are not tracked or a row was read.
  [[nodiscard]] virtual bool resume(const SourcePosition& consumed, const ResumeProgress& progress = {}) = 0;
  // Reads over rows, as if they had been consumed, until `records` of the input are behind; before the first next().
  // False when the source was stopped first. Throws SourceChanged when the input has not so many, and passes on
  // IoError.
  [[nodiscard]] virtual bool skip_to(std::uint64_t records) = 0;
  // Whether resume() skipped the rest of a row that was counted while it was still being written.
  [[nodiscard]] virtual bool skipped_remainder() const = 0;

 protected:
  RowSource() = default;

  // Reads the next row and what is wrong with it; nothing where next() is false. `row.unit` is empty on entry; the
  // numbers of a row with a fault do not matter.
  virtual std::optional<RowFault> read(Row& row) = 0;

 private:
  OperatorTally tally_;
};

struct RecordLimits {
  std::size_t record_limit = std::size_t{1} << 20;  // bytes of one record, line end not counted
  std::size_t block = std::size_t{1} << 18;         // bytes asked of the source at a time
};

struct FormatEntry;

// A format that bytes hold rows in: one of row_formats(), CSV unless said otherwise.
class RowFormat {
 public:
  RowFormat();
  explicit RowFormat(const FormatEntry& entry) : entry_(&entry) {}
  const FormatEntry* operator->() const { return entry_; }
  bool operator==(const RowFormat&) const = default;

 private:
  const FormatEntry* entry_;
};

struct RowSettings {
  RowFormat format{};
  char delimiter = ',';                      // where the format has one: anything but a quote, CR or LF
  bool needs_target = true;                  // false: the target need not be there and is not looked at
  std::optional<std::string> unit_column{};  // says whose row it is
  bool track_position = false;               // for RowSource::position() and resume()
  RecordLimits limits{};
};

// What is to be known of a format before a row is read. A new format is one file, with a function that gives its entry,
// and the mention of that function in row_source.cc: the tool, its help and its messages ask here.
struct FormatEntry {
  std::string_view name;                  // as --format says it
  std::string_view title;                 // as messages call it
  std::string_view summary;               // of a row, for help; may be empty
  std::vector<std::string_view> endings;  // of file names, with or without .gz behind them
  std::uint64_t stored_as = 0;            // in model files: never changes
  bool has_delimiter = false;
  bool needs_dimension = false;     // rows are the columns of one block, and nothing but the request says how many
  std::string_view only_unit = "";  // the one name the unit column may have; empty: any
  // Throws RequestError when the schema or the settings do not suit the format, IoError when the input does not begin
  // as it must. The byte source must outlive the rows; the schema need not.
  std::unique_ptr<RowSource> (*open)(ByteSource& source, const Schema& schema, const RowSettings& settings) = nullptr;
};

// All there are, CSV first.
const std::vector<FormatEntry>& row_formats();
// By its name. Throws RequestError naming `field`.
RowFormat parse_row_format(std::string_view word, std::string_view field = "format");
// By the ending of a file's name; CSV where no other format claims it.
RowFormat format_by_name(std::string_view path);
// By FormatEntry::stored_as; nothing for a number that no format has.
std::optional<RowFormat> format_stored_as(std::uint64_t number);

// For messages and help: "csv, libsvm", each between `quote`s; and what --format says of itself.
std::string format_names(std::string_view separator = ", ", std::string_view quote = "");
std::string format_help();

// Throws as FormatEntry::open() does.
std::unique_ptr<RowSource> open_rows(ByteSource& source, const Schema& schema, const RowSettings& settings);

// The column `name` says whose row it is, so it is neither a feature nor the target: throws RequestError when it is.
void check_unit_column(const std::string& name, const Schema& schema);

}  // namespace rivulet::input
