// Arbitrary bytes as a CSV stream. The first bytes choose the options; the rest is the input, which must give the same
// records and rows however it is cut, and nothing it does may crash or throw anything but Rivulet's own errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/error.h"
#include "stream/memory_source.h"
#include "stream/row_source.h"

namespace {

using namespace rivulet;
using namespace rivulet::stream;

std::string records_of(std::string_view bytes, std::size_t piece, CsvOptions options) {
  MemorySource source(bytes, piece);
  CsvReader reader(source, options);
  std::string all;
  Record record;
  while (reader.next(record)) {
    all += std::to_string(static_cast<int>(record.status)) + "@" + std::to_string(record.line);
    for (const std::string_view field : record.fields)
      all.append("|").append(std::to_string(field.size())).append(field);
  }
  return all;
}

std::string rows_of(std::string_view bytes, std::size_t piece, CsvOptions options) {
  Schema schema;
  schema.feature("a", {-1.0, 1.0}).categorical("c", {"x", "y", "NA"}).target("y", {0.0, 1.0});
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
      if (any_nan != all_nan || row.values.size() != schema.row_width()) std::abort();
      all += std::to_string(row.target) + "\n";
    }
    if (rows.tally().unusable() > rows.tally().rows) std::abort();
  } catch (const Error& error) {
    all += error.what();
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  CsvOptions options;
  options.delimiter = data[0] % 4 == 0 ? ';' : ',';
  options.record_limit = 1 + data[1] * (data[0] % 2 == 0 ? 1u : 100u);
  options.block = 1 + data[2];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);

  const std::string records = records_of(bytes, size, options);
  const std::string rows = rows_of(bytes, size, options);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{13}}) {
    if (records_of(bytes, piece, options) != records) std::abort();
    if (rows_of(bytes, piece, options) != rows) std::abort();
  }
  options.block = std::size_t{1} << 12;
  if (records_of(bytes, size, options) != records) std::abort();
  return 0;
}
