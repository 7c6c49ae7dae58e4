// Arbitrary bytes as a CSV stream. The first bytes choose the options; the rest is the input, which must give the same
// records and rows however it is cut, also when it was left after some row and grew before it was read on. Nothing it
// does may crash or throw anything but Rivulet's own errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "input/csv.h"
#include "rivulet/error.h"

namespace {

using namespace rivulet;
using namespace rivulet::input;

std::string records_of(std::string_view bytes, std::size_t piece, RowSettings options) {
  MemorySource source(bytes, piece);
  CsvReader reader(source, options);
  std::string all;
  while (reader.next()) {
    const Record& record = reader.record();
    all += std::to_string(static_cast<int>(record.status)) + "@" + std::to_string(record.line);
    for (const std::string_view field : record.fields)
      all.append("|").append(std::to_string(field.size())).append(field);
  }
  return all;
}

Schema fuzzed_schema() {
  Schema schema;
  return schema.feature("a", {-1.0, 1.0}).categorical("c", {"x", "y", "NA"}).target("y", {0.0, 1.0});
}

std::string rows_of(std::string_view bytes, std::size_t piece, RowSettings options) {
  const Schema schema = fuzzed_schema();
  MemorySource source(bytes, piece);
  std::string all;
  try {
    CsvRowSource rows(source, schema, options);
    Row row;
    while (rows.next(row)) {
      bool any_nan = std::isnan(row.target);
      bool all_nan = any_nan;
      for (const double value : row.values) {
        any_nan = any_nan || std::isnan(value);
        all_nan = all_nan && std::isnan(value);
        if (std::isinf(value)) std::abort();
        all += std::to_string(value) + " ";
      }
      if (any_nan != all_nan || row.usable == any_nan || row.values.size() != schema.row_width()) std::abort();
      all += std::to_string(row.target) + "\n";
    }
    if (rows.tally().unusable() > rows.tally().rows) std::abort();
  } catch (const Error& error) {
    all += error.what();
  }
  return all;
}

// A reading that can be left and resumed. Throws Rivulet's errors where the header is not what it must be.
class Tracked {
 public:
  Tracked(std::string_view bytes, std::size_t piece, const RowSettings& options)
      : source_(bytes, piece), rows_(source_, fuzzed_schema(), options) {}

  CsvRowSource& rows() { return rows_; }
  // The next `most` rows, one line each.
  std::vector<std::string> read(std::size_t most) {
    std::vector<std::string> lines;
    for (Row row; lines.size() < most && rows_.next(row);) {
      std::string line = row.unit + "|" + std::to_string(row.target);
      for (const double value : row.values) line += " " + std::to_string(value);
      lines.push_back(line);
    }
    return lines;
  }

 private:
  MemorySource source_;
  CsvRowSource rows_;
};

bool resumes(std::string_view bytes, const BytePosition& position, const RowSettings& options) {
  try {
    Tracked reading(bytes, bytes.size() + 1, options);
    return reading.rows().resume(position);
  } catch (const Error&) {
    return false;
  }
}

// Reads some rows of the first `cut` bytes, then goes on in all of them.
void check_resumption(std::string_view bytes, std::size_t cut, std::size_t consumed, const RowSettings& options) {
  BytePosition position;
  std::vector<std::string> expected;
  try {
    Tracked shorter(bytes.substr(0, cut), 7, options);
    position.records = shorter.read(consumed).size();
    if (shorter.rows().position().records != position.records) std::abort();
    position = BytePosition::from(shorter.rows().position());
    expected = Tracked(bytes, 5, options).read(bytes.size());
  } catch (const Error&) {
    return;  // no header, then or now
  }
  Tracked reading(bytes, 3, options);
  if (!reading.rows().resume(position)) std::abort();
  if (reading.rows().position() != position) std::abort();
  expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(position.records));
  if (reading.read(bytes.size()) != expected) std::abort();

  std::string changed(bytes);
  changed[(cut * 31) % position.bytes] ^= 1;
  if (resumes(changed, position, options)) std::abort();
  if (resumes(bytes.substr(0, position.bytes - 1), position, options)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  RowSettings options;
  options.delimiter = data[0] % 4 == 0 ? ';' : ',';
  options.limits.record_limit = 1 + data[1] * (data[0] % 2 == 0 ? 1u : 100u);
  options.limits.block = 1 + data[2];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);

  const std::string records = records_of(bytes, size, options);
  const std::string rows = rows_of(bytes, size, options);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{13}}) {
    if (records_of(bytes, piece, options) != records) std::abort();
    if (rows_of(bytes, piece, options) != rows) std::abort();
  }
  const std::size_t cut = (data[1] * 256u + data[2]) % (bytes.size() + 1);
  RowSettings row_options = options;
  row_options.track_position = true;
  if (data[0] % 3 == 0) row_options.unit_column = "note";
  check_resumption(bytes, cut, data[0] / 4 % 8, row_options);
  options.limits.block = std::size_t{1} << 12;
  if (records_of(bytes, size, options) != records) std::abort();
  return 0;
}
