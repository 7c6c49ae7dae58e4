// Rows whose columns are apart: a list of one-dimensional arrays of doubles, or of any Python objects, one a declared
// column. Objects are turned into numbers and levels before the first row is taken, because that may run code of
// theirs.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "python_value.h"
#include "row_scratch.h"
#include "rows.h"
#include "targets.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

// A column as a tuple of its own, since reading a value may run code that changes a list; throws RequestError.
nb::object cells_of(nb::handle column, const std::string& name) {
  nb::object cells = nb::steal(PySequence_Tuple(column.ptr()));
  if (!cells.is_valid()) {
    forget_error();
    throw RequestError(name, "is no column; accepted: an array, a list or anything else with a length and an order");
  }
  return cells;
}

// What `read` says of each cell.
template <typename Read>
auto each_of(nb::handle column, const std::string& name, Read read) {
  const nb::object cells = cells_of(column, name);
  std::vector<decltype(read(nullptr))> result;
  const Py_ssize_t count = PyTuple_GET_SIZE(cells.ptr());
  result.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) result.push_back(read(PyTuple_GET_ITEM(cells.ptr(), i)));
  return result;
}

struct Column {
  RowColumn place;
  std::optional<DoubleVector> numbers;  // where they are
  std::vector<double> converted;
  std::vector<int> levels;
  std::size_t rows = 0;

  Column(RowColumn where, nb::handle given) : place(std::move(where)) {
    if (!place.categorical) {
      DoubleVector array;
      if (nb::try_cast<DoubleVector>(given, array, false)) {
        rows = array.shape(0);
        numbers = std::move(array);
        return;
      }
    }
    if (place.categorical) {
      levels = each_of(given, place.name, [&](PyObject* cell) { return level_of(cell, place.levels); });
      rows = levels.size();
    } else {
      converted = each_of(given, place.name, [](PyObject* cell) { return number_of(cell); });
      rows = converted.size();
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
             std::optional<UnitNames> units)
      : Rows(schema.row_width()) {
    const RowLayout layout(schema);
    const std::vector<RowColumn>& places = layout.columns();
    if (columns.size() != places.size()) {
      throw RequestError("X", std::to_string(columns.size()) + " columns were given; accepted: the " +
                                  std::to_string(places.size()) + " that were declared");
    }
    for (std::size_t i = 0; i < places.size(); ++i) columns_.emplace_back(places[i], columns[i]);
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
    auto& values = block_values_.renew(block.count * width(), std::numeric_limits<double>::quiet_NaN());
    for (const Column& column : columns_) column.fill(position_, block.count, width(), values.data());
    block.values = values.data();
    if (targets_.present()) {
      auto& targets = block_targets_.renew(block.count);
      targets_.copy(position_, block.count, targets.data());
      block.targets = targets.data();
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
  RowScratch<double> block_values_;
  RowScratch<double> block_targets_;
};

}  // namespace

void bind_row_columns(nb::module_& module) {
  nb::class_<UnitNames>(module, "UnitNames", "Whose row each row is.");
  module.def(
      "column_rows",
      [](const Schema& schema, const nb::list& columns, std::optional<DoubleVector> targets,
         std::optional<UnitNames> units) -> std::unique_ptr<Rows> {
        return std::make_unique<ColumnRows>(schema, columns, std::move(targets), std::move(units));
      },
      "schema"_a, "columns"_a, "targets"_a.none().noconvert(), "units"_a.none());
  module.def(
      "numbers_from",
      [](nb::handle cells) { return each_of(cells, "numbers", [](PyObject* cell) { return number_of(cell); }); },
      "cells"_a, "The numbers that cells of a row say, NaN where they say none.");
  module.def(
      "targets_from",
      [](const Schema& schema, nb::handle cells) {
        const RowLayout layout(schema, RowLayout::Blocks::by_name);
        return each_of(cells, "y", [&](PyObject* cell) { return target_of(cell, layout); });
      },
      "schema"_a, "cells"_a, "Targets as numbers, 0 and 1 for declared class words, NaN where a cell says neither.");
  module.def(
      "units_from",
      [](nb::handle cells) { return UnitNames{each_of(cells, "unit", [](PyObject* cell) { return unit_of(cell); })}; },
      "cells"_a, "Whose row each is; nobody where a cell does not say.");
}

}  // namespace rivulet::python
