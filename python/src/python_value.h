// What single values of Python say as cells of a row. With the GIL held.
//
// None of these refuses a value: one that cannot be used is a missing number (NaN), no level or no unit, and its row
// counts as a zero row. An error would let what a row says decide whether it counts.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include "rivulet/row_layout.h"

namespace rivulet::python {

// The text of a str or of bytes, as long as it is: never cut at a NUL, and never what __str__ of a subclass says.
// Nothing for other types, and for text that is not valid Unicode (lone surrogates). Lives as long as the value.
std::optional<std::string_view> text_of(PyObject* value);

// A number: what float() makes of it, or what its text says (row_layout.h). NaN when there is none, infinite when it is
// too large.
inline double number_of(PyObject* value);
double number_of_other(PyObject* value);

// The place of a level that is given as text, a whole number or a truth value.
int level_of(PyObject* value, const LevelNames& levels);

// Whose row it is: text, or a whole number. Empty when it does not say.
std::string unit_of(PyObject* value);

// The target as the layout declares it.
double target_of(PyObject* value, const RowLayout& layout);

// After a call into Python failed: goes on as if the value were missing. Only what is no fault of the value, like
// Ctrl-C, is thrown.
void forget_error();

inline double number_of(PyObject* value) {
  return PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : number_of_other(value);
}

}  // namespace rivulet::python
