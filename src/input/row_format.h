// The formats rows come in, and the source for each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/schema.h"

namespace rivulet::input {

enum class RowFormat { csv, libsvm };

std::string_view to_string(RowFormat format);
// "csv" or "libsvm". Throws RequestError naming `field`.
RowFormat parse_row_format(std::string_view word, std::string_view field = "format");
// .svm, .libsvm and .svmlight, with or without .gz behind it, are libsvm; any other name is CSV.
RowFormat format_by_name(std::string_view path);

struct RowSettings {
  RowFormat format = RowFormat::csv;
  char delimiter = ',';                      // of CSV
  bool needs_target = true;                  // false: as for a prediction
  std::optional<std::string> unit_column{};  // says whose row it is; of libsvm "qid"
  bool track_position = false;               // for RowSource::position() and resume()
};

// Throws as the constructors of CsvRowSource and LibsvmRowSource do. The byte source must outlive the rows.
std::unique_ptr<RowSource> open_rows(ByteSource& source, const Schema& schema, const RowSettings& settings);

}  // namespace rivulet::input
