// Rows from a CSV stream with a header. Each record after the header is one row. The columns of a block called NAME are
// NAME1, NAME2, ...; all of them must be there, in any order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "input/csv_header.h"
#include "input/csv_reader.h"
#include "input/row_source.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"

namespace rivulet::input {

struct CsvRowOptions {
  CsvOptions csv{};
  bool needs_target = true;  // false: the target column is not looked at and need not be there, as for a prediction
  // The column that says whose row it is: neither a feature nor the target.
  std::optional<std::string> unit_column{};
  bool track_position = false;  // for position() and resume(), at the price of hashing every byte
};

class CsvRowSource final : public RowSource {
 public:
  // Reads the header. Throws RequestError when a column that is needed is not in it or is there twice, or when the unit
  // column is declared as something else; IoError when there is no header at all. The byte source must outlive this;
  // the schema is copied into what is needed of it.
  CsvRowSource(ByteSource& source, const Schema& schema, CsvOptions options = {});
  CsvRowSource(ByteSource& source, const Schema& schema, const CsvRowOptions& options);

 private:
  // A column of the layout, and the field of a record that holds it.
  struct Field {
    std::size_t field;
    std::size_t column;
  };

  bool read_record() override { return reader_.next(record_); }
  RowFault parse_record(Row& row) override;
  [[nodiscard]] const RecordReader& reader() const override { return reader_; }

  void bind(const Schema& schema, const CsvRowOptions& options, const CsvHeader& header);

  CsvReader reader_;
  Record record_;
  std::optional<RowLayout> layout_;  // once the header is known to have its columns
  std::optional<std::size_t> target_field_;
  std::optional<std::size_t> unit_field_;
  std::vector<Field> fields_;
};

}  // namespace rivulet::input
