#include "one_row.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "python_value.h"
#include "rivulet/error.h"
#include "targets.h"

namespace nb = nanobind;

namespace rivulet::python {
namespace {

// Without a call when both are the plain strings that names are.
bool same_text(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!PyUnicode_CheckExact(a) || !PyUnicode_CheckExact(b)) return false;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
  return length == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<std::size_t>(length * PyUnicode_KIND(a))) == 0;
}

// The key's own text, as long as it is: never what __str__ of a subclass says, and never cut at a NUL. Absent for keys
// that are no text and for text that no declared name can be (lone surrogates).
std::optional<std::string> key_text(PyObject* key) {
  if (!PyUnicode_Check(key)) return std::nullopt;
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(key, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::vector<ColumnPlace> places_of(const Schema& schema) {
  if (!schema.has_blocks()) return column_places(schema);
  // The columns of a block are found by their names.
  std::vector<ColumnPlace> places;
  std::size_t value = 0;
  const int reference = schema.has_intercept() ? 1 : 0;
  for (const Feature& feature : schema.features()) {
    if (const auto* block = std::get_if<Block>(&feature.domain)) {
      value += block->columns;
    } else if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      const std::size_t width = levels->names.size() - static_cast<std::size_t>(reference);
      places.push_back({feature.name, value, width, true, reference, LevelIndex(levels->names)});
      value += width;
    } else {
      places.push_back({feature.name, value++, 1, false, 0, {}});
    }
  }
  return places;
}

}  // namespace

OneRow::OneRow(const Schema& schema)
    : schema_(schema), width_(schema.row_width()), has_blocks_(schema.has_blocks()), places_(places_of(schema)) {
  for (std::size_t i = 0; i < places_.size(); ++i) by_name_.emplace(places_[i].name, i);
  if (schema.class_words()) classes_ = LevelIndex({(*schema.class_words())[0], (*schema.class_words())[1]});
  target_name_ = nb::str(schema.target_name().c_str(), schema.target_name().size());
}

void OneRow::store(const ColumnPlace& place, PyObject* value) {
  if (place.categorical) {
    place.write_level(level_from(value, place.levels), values_.data());
  } else {
    values_[place.first_value] = number_from(value, place.name);
  }
}

void OneRow::forget_row() {
  values_.assign(width_, std::numeric_limits<double>::quiet_NaN());
}

void OneRow::read(nb::handle x) {
  sparse_ = false;
  if (PyDict_Check(x.ptr())) return read_dict(x.ptr());
  if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr())) return read_sequence(x);
  DoubleVector array;
  if (nb::try_cast<DoubleVector>(x, array, false)) {
    if (array.shape(0) != width_) {
      throw RequestError(
          "x", "a row of " + std::to_string(array.shape(0)) + " values was given; accepted: " + std::to_string(width_));
    }
    forget_row();
    for (std::size_t i = 0; i < array.shape(0); ++i) {
      values_[i] = array.data()[static_cast<std::int64_t>(i) * array.stride(0)];
    }
    return;
  }
  if (nb::hasattr(x, "keys")) {
    const nb::dict copy = nb::borrow<nb::dict>(nb::steal(PyDict_New()));
    if (PyDict_Update(copy.ptr(), x.ptr()) != 0) throw nb::python_error();
    return read_dict(copy.ptr());
  }
  PyObject* items = PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()) ? nullptr : PySequence_Fast(x.ptr(), "");
  if (items == nullptr) {
    PyErr_Clear();
    throw RequestError("x",
                       "is no row; accepted: a dict by the declared names, or a list, tuple or one-dimensional array "
                       "in their order");
  }
  read_sequence(nb::steal(items));
}

void OneRow::read_sequence(nb::handle items) {
  const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
  PyObject** item = PySequence_Fast_ITEMS(items.ptr());
  forget_row();
  if (has_blocks_ || places_.size() != count) {
    if (count != width_) {
      const std::size_t columns = has_blocks_ ? width_ : places_.size();
      throw RequestError(
          "x", "a row of " + std::to_string(count) + " values was given; accepted: " + std::to_string(columns));
    }
    for (std::size_t i = 0; i < count; ++i) values_[i] = number_from(item[i], "x");
    return;
  }
  for (std::size_t i = 0; i < count; ++i) store(places_[i], item[i]);
}

void OneRow::read_dict(PyObject* dict) {
  if (has_blocks_) return read_sparse_dict(dict);
  if (read_known_order(dict)) return;
  learn_order(dict);
  if (!read_known_order(dict)) throw RequestError("x", "changed while it was read");
}

bool OneRow::read_known_order(PyObject* dict) {
  if (static_cast<std::size_t>(PyDict_GET_SIZE(dict)) != order_.size() || order_.empty()) return false;
  forget_row();
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (const Known& known : order_) {
    if (PyDict_Next(dict, &position, &key, &value) == 0 || !same_text(key, known.key.ptr())) return false;
    if (known.place == nullptr) continue;
    if (known.place->categorical) {
      store(*known.place, value);
    } else {
      values_[known.value] = number_from(value, known.place->name);
    }
  }
  return true;
}

void OneRow::learn_order(PyObject* dict) {
  order_.clear();
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &key, &value) != 0) {
    Known known{nb::borrow(key)};
    if (const auto name = key_text(key)) {
      const auto found = by_name_.find(*name);
      if (found != by_name_.end()) known.place = &places_[found->second];
    }
    if (known.place != nullptr) known.value = known.place->first_value;
    order_.push_back(std::move(known));
  }
}

void OneRow::read_sparse_dict(PyObject* dict) {
  sparse_ = true;
  std::map<std::uint32_t, double> found;
  const auto put = [&](std::size_t where, double number) { found[static_cast<std::uint32_t>(where)] = number; };
  for (const ColumnPlace& place : places_) {
    const nb::str name(place.name.c_str(), place.name.size());
    PyObject* value = PyDict_GetItemWithError(dict, name.ptr());
    if (!place.categorical) {
      put(place.first_value,
          value == nullptr ? std::numeric_limits<double>::quiet_NaN() : number_from(value, place.name));
      continue;
    }
    const int level = value == nullptr ? kNoLevel : level_from(value, place.levels);
    if (level == kNoLevel) put(place.first_value, std::numeric_limits<double>::quiet_NaN());
    if (level >= place.reference_levels) {
      put(place.first_value + static_cast<std::size_t>(level - place.reference_levels), 1.0);
    }
  }
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &key, &value) != 0) {
    const auto name = key_text(key);
    if (!name || by_name_.contains(*name)) continue;
    if (const auto where = schema_.value_of(*name)) put(*where, number_from(value, *name));
  }
  positions_.clear();
  entries_.clear();
  for (const auto& [where, number] : found) {
    positions_.push_back(where);
    entries_.push_back(number);
  }
}

double OneRow::target(nb::handle y, nb::handle x) {
  PyObject* given = y.ptr();
  const bool absent = given == Py_Ellipsis;
  if ((absent || given == Py_None) && PyDict_Check(x.ptr())) {
    given = PyDict_GetItemWithError(x.ptr(), target_name_.ptr());
    if (given == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      given = y.ptr();
    }
  }
  if (given == Py_Ellipsis) {
    throw RequestError("y", "not given, and the row has no " + schema_.target_name() +
                                "; accepted: the target, or None where it is missing");
  }
  if (!schema_.class_words()) return number_from(given, schema_.target_name());
  const int place = PyUnicode_Check(given) ? level_from(given, classes_) : kNoLevel;
  return place == kNoLevel ? std::numeric_limits<double>::quiet_NaN() : place;
}

}  // namespace rivulet::python
