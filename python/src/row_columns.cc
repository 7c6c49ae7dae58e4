// Rows whose columns are apart: a list of one-dimensional arrays of doubles, or of any Python objects, one a declared
// column. Objects are turned into numbers and levels before the first row is taken, so that a value nobody can use is
// an error that leaves the stream as it was.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python_value.h"
#include "rows.h"
#include "targets.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

// A sequence as a list or tuple; throws RequestError.
nb::object fast_sequence(nb::handle sequence, const std::string& name) {
  PyObject* items = PySequence_Fast(sequence.ptr(), "");
  if (items == nullptr) {
    PyErr_Clear();
    throw RequestError(name, "is no column; accepted: an array, a list or anything else with a length and an order");
  }
  return nb::steal(items);
}

struct Column {
  ColumnPlace place;
  std::optional<DoubleVector> numbers;  // where they are
  std::vector<double> converted;
  std::vector<int> levels;
  std::size_t rows = 0;

  Column(ColumnPlace where, nb::handle given) : place(std::move(where)) {
    if (!place.categorical) {
      DoubleVector array;
      if (nb::try_cast<DoubleVector>(given, array, false)) {
        rows = array.shape(0);
        numbers = std::move(array);
        return;
      }
    }
    const nb::object items = fast_sequence(given, place.name);
    rows = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
    for (std::size_t i = 0; i < rows; ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i));
      if (place.categorical) {
        levels.push_back(level_from(item, place.levels));
      } else {
        converted.push_back(number_from(item, place.name));
      }
    }
  }

  void fill(std::size_t begin, std::size_t count, std::size_t width, double* out) const {
    for (std::size_t i = 0; i < count; ++i, out += width) {
      if (place.categorical) {
        place.write_level(levels[begin + i], out);
      } else if (numbers) {
        out[place.first_value] = numbers->data()[static_cast<std::int64_t>(begin + i) * numbers->stride(0)];
      } else {
        out[place.first_value] = converted[begin + i];
      }
    }
  }
};

class ColumnRows final : public Rows {
 public:
  ColumnRows(const Schema& schema, const nb::list& columns, std::optional<DoubleVector> targets,
             std::optional<std::vector<std::string>> units)
      : Rows(schema.row_width()) {
    std::vector<ColumnPlace> places = column_places(schema);
    if (columns.size() != places.size()) {
      throw RequestError("X", std::to_string(columns.size()) + " columns were given; accepted: the " +
                                  std::to_string(places.size()) + " that were declared");
    }
    for (std::size_t i = 0; i < places.size(); ++i) columns_.emplace_back(std::move(places[i]), columns[i]);
    rows_ = columns_.empty() ? 0 : columns_.front().rows;
    for (const Column& column : columns_) {
      if (column.rows != rows_) {
        throw RequestError(column.place.name, "has " + std::to_string(column.rows) + " values, the first column has " +
                                                  std::to_string(rows_) + "; accepted: columns of one length");
      }
    }
    targets_ = Targets(std::move(targets), rows_);
    units_ = Units(std::move(units), rows_);
  }

  bool next(RowBlock& block) override {
    if (position_ == rows_) return false;
    block = {};
    block.count = std::min(rows_ - position_, kBlockRows);
    block_values_.resize(block.count * width());
    for (const Column& column : columns_) column.fill(position_, block.count, width(), block_values_.data());
    block.values = block_values_.data();
    if (targets_.present()) {
      block_targets_.resize(block.count);
      targets_.copy(position_, block.count, block_targets_.data());
      block.targets = block_targets_.data();
    }
    block.units = units_.data(position_);
    position_ += block.count;
    return true;
  }

 private:
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  Targets targets_;
  Units units_;
  std::size_t position_ = 0;
  std::vector<double> block_values_;
  std::vector<double> block_targets_;
};

}  // namespace

void bind_row_columns(nb::module_& module) {
  module.def(
      "column_rows",
      [](const Schema& schema, const nb::list& columns, std::optional<DoubleVector> targets,
         std::optional<std::vector<std::string>> units) -> std::unique_ptr<Rows> {
        return std::make_unique<ColumnRows>(schema, columns, std::move(targets), std::move(units));
      },
      "schema"_a, "columns"_a, "targets"_a.none().noconvert(), "units"_a.none());
  module.def(
      "numbers_from",
      [](nb::handle numbers, const std::string& name) {
        const nb::object items = fast_sequence(numbers, name);
        std::vector<double> result;
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
        for (Py_ssize_t i = 0; i < count; ++i) {
          result.push_back(number_from(PySequence_Fast_GET_ITEM(items.ptr(), i), name));
        }
        return result;
      },
      "numbers"_a, "name"_a, "Numbers, NaN for missing ones.");
  module.def(
      "units_from",
      [](nb::handle units) {
        const nb::object items = fast_sequence(units, "unit");
        std::vector<std::string> texts;
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
        for (Py_ssize_t i = 0; i < count; ++i) texts.push_back(unit_from(PySequence_Fast_GET_ITEM(items.ptr(), i)));
        return texts;
      },
      "units"_a, "Whose row each is, as text.");
}

}  // namespace rivulet::python
