// Arbitrary bytes as a stream of JSON lines. The first bytes choose the options; the rest is the input, which must give
// the same rows however it is cut, each row as if its line stood alone, also when it was left after some row and grew
// before it was read on. A line that is read must be JSON to another parser, too. Nothing it does may crash or throw
// anything but Rivulet's own errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/error.h"

namespace {

using namespace rivulet;
using namespace rivulet::input;

Schema fuzzed_schema(bool blocks) {
  Schema schema;
  schema.feature("a", {-1.0, 1.0}).categorical("c", {"x", "y", "NA", "7"}).target("y", {0.0, 1.0});
  if (blocks) schema.block("w", 20, {-1.0, 1.0}).clip_norm(1.0);
  return schema;
}

std::string shown(const Row& row) {
  std::string line = row.unit + "|" + std::to_string(row.target);
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (row.usable != std::isfinite(row.values[i])) std::abort();
    line += " " + (row.sparse ? std::to_string(row.positions[i]) + ":" : "") + std::to_string(row.values[i]);
  }
  return line;
}

// A reading that can be left and resumed.
class Tracked {
 public:
  Tracked(std::string_view bytes, std::size_t piece, const Schema& schema, const RowSettings& settings)
      : source_(bytes, piece), rows_(open_rows(source_, schema, settings)) {}

  RowSource& rows() { return *rows_; }
  // The next `most` rows, one line each.
  std::vector<std::string> read(std::size_t most) {
    std::vector<std::string> lines;
    for (Row row; lines.size() < most && rows_->next(row);) lines.push_back(shown(row));
    if (rows_->tally().unusable() > rows_->tally().rows) std::abort();
    return lines;
  }

 private:
  MemorySource source_;
  std::unique_ptr<RowSource> rows_;
};

// Numbers beyond the largest double are JSON to us, and their cell decides.
bool may_overflow(std::string_view line) {
  return line.find_first_of("eE") != std::string_view::npos || line.size() > 300;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const Schema schema = fuzzed_schema(data[0] % 2 == 0);
  RowSettings settings{.format = parse_row_format("ndjson"), .track_position = true};
  settings.limits.record_limit = 1 + data[1] * (data[0] % 2 == 0 ? 1u : 100u);
  settings.limits.block = 1 + data[2];
  settings.needs_target = data[0] % 4 < 2;
  if (data[0] % 3 == 0) settings.unit_column = "who";
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);

  const std::vector<std::string> rows = Tracked(bytes, size, schema, settings).read(size);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{13}}) {
    if (Tracked(bytes, piece, schema, settings).read(size) != rows) std::abort();
  }

  MemorySource source(bytes, size);
  LineReader lines(source, settings);
  for (const std::string& row : rows) {
    if (!lines.next()) std::abort();
    if (lines.too_long()) continue;
    const std::string line(lines.line());
    const std::string second = "\n" + line;  // a byte order mark is one at the very beginning alone
    Tracked alone(second, size, schema, settings);
    if (alone.read(size) != std::vector<std::string>{row}) std::abort();
    const bool is_json = alone.rows().tally().malformed == 0;
    if (is_json && !may_overflow(line) && !nlohmann::json::accept(line)) std::abort();
  }
  if (lines.next()) std::abort();

  const std::size_t cut = (data[1] * 256u + data[2]) % (bytes.size() + 1);
  Tracked shorter(bytes.substr(0, cut), 7, schema, settings);
  const std::size_t consumed = shorter.read(data[0] / 4 % 8).size();
  Tracked reading(bytes, 3, schema, settings);
  if (!reading.rows().resume(shorter.rows().position())) std::abort();
  if (reading.read(size) !=
      std::vector<std::string>(rows.begin() + static_cast<std::ptrdiff_t>(consumed), rows.end())) {
    std::abort();
  }
  return 0;
}
