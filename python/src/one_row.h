// A single row from a dict, a list, a tuple or an array. With the GIL held; fast for dicts whose keys come in the order
// of the dict before.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "rivulet/row_layout.h"
#include "rivulet/schema.h"
#include "rivulet/sparse_row.h"
#include "row_scratch.h"

namespace rivulet::python {

class OneRow {
 public:
  // `unit` is the name of the column that says whose row it is; empty without one.
  OneRow(const Schema& schema, std::string unit);

  // What a row that goes by names says beside its features; nothing where it does not.
  struct Named {
    nanobind::object target;
    nanobind::object unit;
    bool is_named = false;
  };

  // Throws RequestError naming "x" when it is no row or one of another width, whatever it holds.
  Named read(nanobind::handle x);
  [[nodiscard]] const RowLayout& layout() const { return layout_; }

  // What read() found. Schemas with blocks have sparse rows of dicts.
  [[nodiscard]] bool is_sparse() const { return sparse_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_.get(); }
  [[nodiscard]] SparseRow sparse_row() const { return {positions_.get(), entries_.get()}; }

 private:
  // What a key of a dict stands for: one of the layout's columns, or one of these.
  static constexpr int kOther = -1, kTarget = -2, kUnit = -3;
  struct Key {
    nanobind::object key;
    int place = kOther;
  };
  // Values whose reading may run code of theirs. They are read when the dict is no longer looked at.
  using Cells = std::vector<std::pair<const RowColumn*, nanobind::object>>;

  Named read_named(PyObject* dict);
  bool read_known_order(PyObject* dict, std::vector<double>& values, Cells& cells, Named& named);
  void learn_order(PyObject* dict);
  Named read_sparse(PyObject* dict);
  void read_sequence(nanobind::handle items);
  [[nodiscard]] int place_of(PyObject* key) const;

  Schema schema_;
  std::string unit_name_;
  RowLayout layout_;
  bool has_blocks_;
  std::vector<Key> order_;    // the keys of the dict before, for speed: what a row says never depends on them
  bool names_twice_ = false;  // one of the columns is named twice among them
  RowScratch<double> values_;
  RowScratch<std::uint32_t> positions_;
  RowScratch<double> entries_;
  bool sparse_ = false;
};

}  // namespace rivulet::python
