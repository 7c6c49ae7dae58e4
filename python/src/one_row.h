// A single row from a dict, a list, a tuple or an array. With the GIL held; fast for dicts whose keys come in the order
// of the dict before.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "level_index.h"
#include "rivulet/schema.h"
#include "rivulet/sparse_row.h"

namespace rivulet::python {

class OneRow {
 public:
  explicit OneRow(const Schema& schema);

  // Throws RequestError naming "x", or the column; never shows a value.
  void read(nanobind::handle x);
  // The target: given, or the entry of that name of the dict just read when it is None or absent (an ellipsis). Throws
  // RequestError when it is absent in both.
  double target(nanobind::handle y, nanobind::handle x);

  // What read() found. Schemas with blocks have sparse rows of dicts.
  [[nodiscard]] bool is_sparse() const { return sparse_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] SparseRow sparse_row() const { return {positions_, entries_}; }

 private:
  struct Known {
    nanobind::object key;
    const ColumnPlace* place = nullptr;  // null for what was not declared
    std::size_t value = 0;               // of a number
  };

  // Every value becomes a missing one: what a row does not say is not there, whatever the row before said.
  void forget_row();
  void read_dict(PyObject* dict);
  bool read_known_order(PyObject* dict);
  void learn_order(PyObject* dict);
  void read_sparse_dict(PyObject* dict);
  void read_sequence(nanobind::handle items);
  void store(const ColumnPlace& place, PyObject* value);

  Schema schema_;
  std::size_t width_;
  bool has_blocks_;
  std::vector<ColumnPlace> places_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<Known> order_;
  std::vector<double> values_;
  std::vector<std::uint32_t> positions_;
  std::vector<double> entries_;
  LevelIndex classes_;
  nanobind::object target_name_;
  bool sparse_ = false;
};

}  // namespace rivulet::python
