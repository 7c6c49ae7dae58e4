// Rows read to the end, or from where another reading left them, for the tests of positions.
#pragma once

#include <openssl/evp.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "input/csv.h"

namespace rivulet::input::testing {

struct Options {
  std::size_t piece = 1000;  // bytes the source gives at a time
  std::size_t block = 16;    // bytes the reader asks for at a time
  std::size_t record_limit = 1000;
  char delimiter = ',';
};

inline RowSettings tracked(const Options& options) {
  return {.delimiter = options.delimiter, .track_position = true, .limits = {options.record_limit, options.block}};
}

inline Schema one_feature() {
  Schema schema;
  return schema.feature("a", {0.0, 100.0}).target("y", {0.0, 100.0});
}

// One row as text: NaN compares as a word.
inline std::string text_of(const Row& row) {
  std::string text = row.usable ? "" : "unusable";
  if (row.usable) text = std::to_string(row.values[0]) + " " + std::to_string(row.target);
  return text;
}

struct Reading {
  std::vector<std::string> rows;
  std::vector<OperatorTally> tallies;   // before the first row and after each
  std::vector<BytePosition> positions;  // likewise
  bool skipped_remainder = false;

  // What is left after the first `consumed` rows.
  [[nodiscard]] std::vector<std::string> rows_after(std::size_t consumed) const {
    return {rows.begin() + static_cast<std::ptrdiff_t>(consumed), rows.end()};
  }
};

inline void read_on(CsvRowSource& source, Reading& reading) {
  reading.tallies.push_back(source.tally());
  reading.positions.push_back(BytePosition::from(source.position()));
  Row row;
  while (source.next(row)) {
    reading.rows.push_back(text_of(row));
    reading.tallies.push_back(source.tally());
    reading.positions.push_back(BytePosition::from(source.position()));
  }
}

inline Reading read_through(std::string_view text, const Options& options = {}) {
  MemorySource bytes(text, options.piece);
  CsvRowSource source(bytes, one_feature(), tracked(options));
  Reading reading;
  read_on(source, reading);
  return reading;
}

inline Reading read_resumed(std::string_view text, const BytePosition& consumed, const Options& options = {}) {
  MemorySource bytes(text, options.piece);
  CsvRowSource source(bytes, one_feature(), tracked(options));
  Reading reading;
  if (!source.resume(consumed)) throw std::runtime_error("a source that is never stopped was");
  reading.skipped_remainder = source.skipped_remainder();
  read_on(source, reading);
  return reading;
}

// In one call, as no part of the product does it.
inline Sha256Digest digest_of(std::string_view bytes) {
  Sha256Digest digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

// What a failed comparison prints instead of raw control characters.
inline std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  return shown;
}

}  // namespace rivulet::input::testing
