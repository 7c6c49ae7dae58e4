// Single values from Python, read with the GIL held.
#pragma once

#include <nanobind/nanobind.h>

#include <limits>
#include <string>
#include <string_view>

#include "level_index.h"
#include "rivulet/error.h"

namespace rivulet::python {

// None and pandas' NA.
bool is_missing(PyObject* value);

// A number; NaN for a missing one. Throws RequestError naming the column, never the value.
inline double number_from(PyObject* value, const std::string& column);
double number_from_slowly(PyObject* value, const std::string& column);

// The place of a level that is given as text, a whole number or a truth value; kNoLevel for others and missing ones.
int level_from(PyObject* value, const LevelIndex& levels);

// Whose row it is: text, or what str() says of a whole number. Empty for a missing one.
std::string unit_from(PyObject* value);

inline double number_from(PyObject* value, const std::string& column) {
  return PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : number_from_slowly(value, column);
}

}  // namespace rivulet::python
