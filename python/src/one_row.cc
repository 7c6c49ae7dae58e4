#include "one_row.h"

#include <nanobind/ndarray.h>

#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "python_value.h"
#include "rivulet/error.h"
#include "targets.h"

namespace nb = nanobind;

namespace rivulet::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// Longer dicts are read without remembering their keys.
constexpr std::size_t kMostKeys = 4096;

// Whether both are the same key, without a call into Python: the same object, or plain strings of the same text.
bool same_key(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!PyUnicode_CheckExact(a) || !PyUnicode_CheckExact(b)) return false;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
  return length == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<std::size_t>(length * PyUnicode_KIND(a))) == 0;
}

[[noreturn]] void refuse_width(std::size_t given, std::size_t accepted) {
  throw RequestError("x", "a row of " + std::to_string(given) +
                              " values was given; accepted: " + std::to_string(accepted) + ". It was not counted");
}

// Reading it runs no code but the interpreter's own.
bool is_plain(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value) || value == Py_None ||
         PyBool_Check(value);
}

void write(const RowColumn& column, PyObject* value, double* row) {
  if (column.categorical) {
    column.write_level(level_of(value, column.levels), row);
  } else {
    row[column.first_value] = number_of(value);
  }
}

// Not a subclass: a masked array says more than its numbers.
bool is_plain_array(PyObject* x) {
  return std::string_view(Py_TYPE(x)->tp_name) == "numpy.ndarray";
}

// A mapping that is no dict, as one. Where it cannot be read there is nothing in it.
nb::object dict_of(nb::handle mapping) {
  nb::object copy = nb::steal(PyDict_New());
  if (PyDict_Update(copy.ptr(), mapping.ptr()) != 0) {
    forget_error();
    PyDict_Clear(copy.ptr());
  }
  return copy;
}

// Tables and matrices have names and a length, too.
bool has_two_dimensions(nb::handle x) {
  const nb::object shape = nb::steal(PyObject_GetAttrString(x.ptr(), "shape"));
  if (!shape.is_valid()) forget_error();
  return shape.is_valid() && PyTuple_Check(shape.ptr()) && PyTuple_GET_SIZE(shape.ptr()) != 1;
}

}  // namespace

OneRow::OneRow(const Schema& schema, std::string unit)
    : schema_(schema),
      unit_name_(std::move(unit)),
      layout_(schema, schema.has_blocks() ? RowLayout::Blocks::by_name : RowLayout::Blocks::single_columns),
      has_blocks_(schema.has_blocks()) {}

OneRow::Named OneRow::read(nb::handle x) {
  sparse_ = false;
  if (PyDict_Check(x.ptr())) return read_named(x.ptr());
  if (!PyList_Check(x.ptr()) && !PyTuple_Check(x.ptr())) {
    DoubleVector array;
    if (is_plain_array(x.ptr()) && nb::try_cast<DoubleVector>(x, array, false)) {
      if (array.shape(0) != layout_.width()) refuse_width(array.shape(0), layout_.width());
      auto& values = values_.renew(layout_.width(), kMissing);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = array.data()[static_cast<std::int64_t>(i) * array.stride(0)];
      }
      return {};
    }
    if (has_two_dimensions(x)) {
      throw RequestError("x", "is a table or a matrix; accepted: one row, or observe_many() for many");
    }
    if (nb::hasattr(x, "keys")) return read_named(dict_of(x).ptr());
  }
  const nb::object items =
      PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()) ? nb::object() : nb::steal(PySequence_Fast(x.ptr(), ""));
  if (!items.is_valid()) {
    forget_error();
    throw RequestError("x",
                       "is no row; accepted: a dict by the declared names, or a list, tuple or one-dimensional array "
                       "in their order");
  }
  read_sequence(items);
  return {};
}

void OneRow::read_sequence(nb::handle items) {
  // A tuple of its own: reading a value may run code that changes a list.
  const nb::object held = nb::steal(PySequence_Tuple(items.ptr()));
  if (!held.is_valid()) throw nb::python_error();
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(held.ptr()));
  const auto item = [&](std::size_t i) { return PyTuple_GET_ITEM(held.ptr(), static_cast<Py_ssize_t>(i)); };
  const auto& columns = layout_.columns();
  const bool by_column = !has_blocks_ && columns.size() == count;
  if (!by_column && count != layout_.width()) refuse_width(count, has_blocks_ ? layout_.width() : columns.size());
  auto& values = values_.renew(layout_.width(), kMissing);
  for (std::size_t i = 0; i < count; ++i) {
    if (by_column) {
      write(columns[i], item(i), values.data());
    } else {
      values[i] = number_of(item(i));
    }
  }
}

int OneRow::place_of(PyObject* key) const {
  const auto name = PyUnicode_Check(key) ? text_of(key) : std::nullopt;
  if (!name) return kOther;
  if (const auto column = layout_.column_named(*name)) return static_cast<int>(*column);
  if (*name == schema_.target_name()) return kTarget;
  return !unit_name_.empty() && *name == unit_name_ ? kUnit : kOther;
}

OneRow::Named OneRow::read_named(PyObject* dict) {
  if (has_blocks_) return read_sparse(dict);
  Named named;
  Cells cells;
  std::vector<double>& values = values_.renew(layout_.width(), kMissing);
  const auto begin_again = [&] {
    values_.renew(layout_.width(), kMissing);
    cells.clear();
    named = {};
  };
  if (!read_known_order(dict, values, cells, named)) {
    begin_again();
    learn_order(dict);
    // No code ran in between: the dict is the one whose keys were just learnt.
    read_known_order(dict, values, cells, named);
  }
  if (names_twice_) begin_again();  // a row that says one thing twice says nothing
  named.is_named = true;
  for (const auto& [column, value] : cells) write(*column, value.ptr(), values.data());
  if (order_.size() > kMostKeys) order_.clear();
  return named;
}

bool OneRow::read_known_order(PyObject* dict, std::vector<double>& values, Cells& cells, Named& named) {
  if (static_cast<std::size_t>(PyDict_GET_SIZE(dict)) != order_.size()) return false;
  const auto& columns = layout_.columns();
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (const Key& known : order_) {
    if (PyDict_Next(dict, &position, &key, &value) == 0 || !same_key(key, known.key.ptr())) return false;
    if (known.place >= 0) {
      const RowColumn& column = columns[static_cast<std::size_t>(known.place)];
      if (is_plain(value)) {
        write(column, value, values.data());
      } else {
        cells.emplace_back(&column, nb::borrow(value));
      }
    } else if (known.place == kTarget) {
      named.target = nb::borrow(value);
    } else if (known.place == kUnit) {
      named.unit = nb::borrow(value);
    }
  }
  return true;
}

void OneRow::learn_order(PyObject* dict) {
  order_.clear();
  names_twice_ = false;
  std::set<int> places;
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &key, &value) != 0) {
    order_.push_back({nb::borrow(key), place_of(key)});
    const int place = order_.back().place;
    if (place != kOther && !places.insert(place).second) names_twice_ = true;
  }
}

OneRow::Named OneRow::read_sparse(PyObject* dict) {
  sparse_ = true;
  Named named;
  named.is_named = true;
  std::map<std::size_t, nb::object> columns;  // of the layout
  std::map<std::size_t, nb::object> numbers;  // of blocks, by their place among the supplied values
  bool twice = false;
  const auto put = [&](auto& places, std::size_t place, PyObject* value) {
    twice = !places.emplace(place, nb::borrow(value)).second || twice;
  };
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &key, &value) != 0) {
    const int place = place_of(key);
    if (place >= 0) {
      put(columns, static_cast<std::size_t>(place), value);
    } else if (place == kTarget || place == kUnit) {
      nb::object& entry = place == kTarget ? named.target : named.unit;
      twice = entry.is_valid() || twice;
      entry = nb::borrow(value);
    } else if (const auto name = PyUnicode_Check(key) ? text_of(key) : std::nullopt) {
      if (const auto where = schema_.value_of(*name)) put(numbers, *where, value);
    }
  }
  std::map<std::size_t, double> found;
  if (twice) {
    named = {.target = {}, .unit = {}, .is_named = true};
    found[0] = kMissing;
  } else {
    for (const auto& [where, cell] : numbers) found[where] = number_of(cell.ptr());
    for (std::size_t i = 0; i < layout_.columns().size(); ++i) {
      const RowColumn& column = layout_.columns()[i];
      const auto cell = columns.find(i);
      if (!column.categorical) {
        found[column.first_value] = cell == columns.end() ? kMissing : number_of(cell->second.ptr());
        continue;
      }
      const int level = cell == columns.end() ? kNoLevel : level_of(cell->second.ptr(), column.levels);
      if (level == kNoLevel) found[column.first_value] = kMissing;
      if (level >= column.reference_levels) {
        found[column.first_value + static_cast<std::size_t>(level - column.reference_levels)] = 1.0;
      }
    }
  }
  auto& positions = positions_.renew(0);
  auto& entries = entries_.renew(0);
  for (const auto& [where, number] : found) {
    positions.push_back(static_cast<std::uint32_t>(where));
    entries.push_back(number);
  }
  return named;
}

}  // namespace rivulet::python
