#include "input/row_format.h"

#include "base/shown.h"
#include "input/csv_row_source.h"
#include "input/libsvm_row_source.h"
#include "rivulet/error.h"

namespace rivulet::input {

std::string_view to_string(RowFormat format) {
  return format == RowFormat::csv ? "csv" : "libsvm";
}

RowFormat parse_row_format(std::string_view word, std::string_view field) {
  for (const RowFormat format : {RowFormat::csv, RowFormat::libsvm}) {
    if (word == to_string(format)) return format;
  }
  throw RequestError(std::string(field), shown(word) + " is not accepted; accepted: csv, libsvm");
}

RowFormat format_by_name(std::string_view path) {
  constexpr std::string_view kGzip = ".gz";
  if (path.ends_with(kGzip)) path.remove_suffix(kGzip.size());
  for (const std::string_view ending : {".svm", ".libsvm", ".svmlight"}) {
    if (path.ends_with(ending)) return RowFormat::libsvm;
  }
  return RowFormat::csv;
}

std::unique_ptr<RowSource> open_rows(ByteSource& source, const Schema& schema, const RowSettings& settings) {
  if (settings.format == RowFormat::libsvm) {
    return std::make_unique<LibsvmRowSource>(source, schema,
                                             LibsvmRowOptions{.needs_target = settings.needs_target,
                                                              .unit_column = settings.unit_column,
                                                              .track_position = settings.track_position});
  }
  return std::make_unique<CsvRowSource>(source, schema,
                                        CsvRowOptions{.csv = {.delimiter = settings.delimiter},
                                                      .needs_target = settings.needs_target,
                                                      .unit_column = settings.unit_column,
                                                      .track_position = settings.track_position});
}

}  // namespace rivulet::input
