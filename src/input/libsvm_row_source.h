// Sparse rows from a libsvm (svmlight) stream, which has no header: index i is column i of the schema's only feature, a
// block, and the label is the target.
#pragma once

#include <optional>
#include <string>

#include "input/libsvm_line.h"
#include "input/libsvm_reader.h"
#include "input/row_source.h"
#include "rivulet/schema.h"

namespace rivulet::input {

struct LibsvmRowOptions {
  RecordLimits limits{};
  bool needs_target = true;                  // false: the label is passed over, as for a prediction; it must be there
  std::optional<std::string> unit_column{};  // "qid" is the only one there is
  bool track_position = false;               // for position() and resume(), at the price of hashing every byte
};

class LibsvmRowSource final : public RowSource {
 public:
  // Reads nothing yet. Throws RequestError when the features are not one block, or when the unit column is another than
  // "qid", or when the target's classes, which labels are to tell, are words. The byte source must outlive this.
  LibsvmRowSource(ByteSource& source, const Schema& schema, const LibsvmRowOptions& options = {});

 private:
  bool read_record() override { return reader_.next(line_); }
  RowFault parse_record(Row& row) override;
  [[nodiscard]] const RecordReader& reader() const override { return reader_; }

  LibsvmGrammar grammar_;
  RowLayout layout_;
  LibsvmReader reader_;
  LibsvmLine line_;
};

}  // namespace rivulet::input
