// Arbitrary bytes as a libsvm stream. The first bytes choose the options; the rest is the input, which must give the
// same rows however it is cut, also when it was left after some row and grew before it was read on. Nothing it does may
// crash or throw anything but Rivulet's own errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
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

constexpr std::size_t kColumns = 300;

Schema fuzzed_schema() {
  Schema schema;
  return schema.block("x", kColumns, {-1.0, 1.0}).target("y", {0.0, 1.0});
}

void check_row(const Row& row, bool has_target) {
  if (!row.sparse || row.positions.size() != row.values.size()) std::abort();
  if (!row.usable) {
    if (row.positions != std::vector<std::uint32_t>{0} || !std::isnan(row.values[0])) std::abort();
    if (!std::isnan(row.target)) std::abort();
    return;
  }
  if (std::isfinite(row.target) != has_target) std::abort();
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (!std::isfinite(row.values[i]) || row.positions[i] >= kColumns) std::abort();
    if (i > 0 && row.positions[i] <= row.positions[i - 1]) std::abort();
  }
}

// A reading that can be left and resumed.
class Tracked {
 public:
  Tracked(std::string_view bytes, std::size_t piece, const RowSettings& options)
      : source_(bytes, piece), rows_(open_rows(source_, fuzzed_schema(), options)), has_target_(options.needs_target) {}

  RowSource& rows() { return *rows_; }
  // The next `most` rows, one line each.
  std::vector<std::string> read(std::size_t most) {
    std::vector<std::string> lines;
    for (Row row; lines.size() < most && rows_->next(row);) {
      check_row(row, has_target_);
      std::string line = row.unit + "|" + std::to_string(row.target);
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        line += " " + std::to_string(row.positions[i]) + ":" + std::to_string(row.values[i]);
      }
      lines.push_back(line);
    }
    if (rows_->tally().unusable() > rows_->tally().rows) std::abort();
    return lines;
  }

 private:
  MemorySource source_;
  std::unique_ptr<RowSource> rows_;
  bool has_target_;
};

bool resumes(std::string_view bytes, const BytePosition& position, const RowSettings& options) {
  try {
    return Tracked(bytes, bytes.size() + 1, options).rows().resume(position);
  } catch (const Error&) {
    return false;
  }
}

// Reads some rows of the first `cut` bytes, then goes on in all of them.
void check_resumption(std::string_view bytes, std::size_t cut, std::size_t consumed, const RowSettings& options) {
  Tracked shorter(bytes.substr(0, cut), 7, options);
  const std::size_t records = shorter.read(consumed).size();
  const BytePosition position = BytePosition::from(shorter.rows().position());
  if (position.records != records) std::abort();

  std::vector<std::string> expected = Tracked(bytes, 5, options).read(bytes.size());
  expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(records));
  Tracked reading(bytes, 3, options);
  if (!reading.rows().resume(position) || reading.rows().position() != position) std::abort();
  if (reading.read(bytes.size()) != expected) std::abort();

  if (position.bytes == 0) return;
  std::string changed(bytes);
  changed[(cut * 31) % position.bytes] ^= 1;
  if (resumes(changed, position, options)) std::abort();
  if (resumes(bytes.substr(0, position.bytes - 1), position, options)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  RowSettings options{.format = parse_row_format("libsvm"), .track_position = true};
  options.limits.record_limit = 1 + data[1] * (data[0] % 2 == 0 ? 1u : 100u);
  options.limits.block = 1 + data[2];
  options.needs_target = data[0] % 4 != 0;
  if (data[0] % 3 == 0) options.unit_column = "qid";
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);

  const std::vector<std::string> rows = Tracked(bytes, size, options).read(size);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{13}}) {
    if (Tracked(bytes, piece, options).read(size) != rows) std::abort();
  }
  check_resumption(bytes, (data[1] * 256u + data[2]) % (bytes.size() + 1), data[0] / 4 % 8, options);
  return 0;
}
