// Sparse rows from a libsvm (svmlight) stream, which has no header. One row a line:
//
//   label [qid:ID] index:value index:value ... [# comment]
//
// Spaces and tabs separate; '#' ends the row wherever it stands, and lines with nothing before it are no rows. Indices
// are plain digits, count from 1 and ascend strictly; values that are not given are 0. Index i is column i of the
// schema's only feature, a block, and the label is the target.
#pragma once

#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/row_layout.h"
#include "rivulet/schema.h"

namespace rivulet::input {

class LibsvmRowSource final : public RecordRows {
 public:
  // Reads nothing yet. Throws RequestError when the features are not one block, or when the unit column is another than
  // "qid", or when the target's classes, which labels are to tell, are words. The byte source must outlive this.
  LibsvmRowSource(ByteSource& source, const Schema& schema, const RowSettings& settings = {});

 private:
  [[nodiscard]] RecordReader& reader() override { return reader_; }
  RowFault parse_record(Row& row) override;

  std::size_t columns_;  // the largest index there may be
  bool needs_target_;    // false: the label is there but may be anything
  bool needs_unit_;      // true: qid says whose row it is; else it is passed over
  RowLayout layout_;
  LineReader reader_;
};

}  // namespace rivulet::input
