#include "input/libsvm_row_source.h"

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

std::size_t columns_of(const Schema& schema) {
  schema.validate();
  const auto& features = schema.features();
  const Block* block = features.size() == 1 ? std::get_if<Block>(&features.front().domain) : nullptr;
  if (block == nullptr) {
    throw RequestError("format",
                       "libsvm rows are the columns of one block, and other features are declared; accepted: one "
                       "block, e.g. --dimension 1000, or CSV");
  }
  return block->columns;
}

}  // namespace

LibsvmRowSource::LibsvmRowSource(ByteSource& source, const Schema& schema, const LibsvmRowOptions& options)
    : RowSource(source, options.track_position),
      grammar_{columns_of(schema), options.needs_target, options.unit_column.has_value()},
      layout_(schema, RowLayout::Blocks::by_name),
      reader_(source, options.limits, prefix()) {
  if (options.unit_column && *options.unit_column != "qid") {
    throw RequestError("unit", shown(*options.unit_column) + " is not in libsvm rows; accepted: qid");
  }
  if (options.needs_target && schema.class_words()) {
    throw RequestError("classes", shown((*schema.class_words())[0]) + " and " + shown((*schema.class_words())[1]) +
                                      " are words, and the labels of libsvm rows are numbers; accepted: two numbers, "
                                      "e.g. --classes=-1,1, or CSV");
  }
  if (options.unit_column) check_unit_column(*options.unit_column, schema);
}

RowFault LibsvmRowSource::parse_record(Row& row) {
  // The grammar of no text: sparse, and nothing in it.
  const RowFault fault = parse_libsvm_line(line_.text, grammar_, row);
  if (line_.too_long) return RowFault::malformed;
  return fault == RowFault::none && grammar_.needs_target ? row_fault(layout_.check_target(row.target)) : fault;
}

}  // namespace rivulet::input
