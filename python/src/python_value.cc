#include "python_value.h"

namespace nb = nanobind;

namespace rivulet::python {
namespace {

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {  // lone surrogates: no declared name has them
    PyErr_Clear();
    return {};
  }
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

bool is_missing(PyObject* value) {
  return value == Py_None || std::string_view(Py_TYPE(value)->tp_name) == "NAType" ||
         std::string_view(Py_TYPE(value)->tp_name) == "pandas._libs.missing.NAType";
}

double number_from_slowly(PyObject* value, const std::string& column) {
  if (is_missing(value)) return std::numeric_limits<double>::quiet_NaN();
  if (!PyUnicode_Check(value) && !PyBytes_Check(value)) {
    const double number = PyFloat_AsDouble(value);
    if (number != -1.0 || PyErr_Occurred() == nullptr) return number;
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (too_large) return std::numeric_limits<double>::infinity();
  }
  throw RequestError(column, "holds something that is not a number (a value of type " +
                                 std::string(Py_TYPE(value)->tp_name) +
                                 "); accepted: numbers, None or NaN where there is none");
}

int level_from(PyObject* value, const LevelIndex& levels) {
  if (PyUnicode_Check(value)) return levels.find(text_of(value));
  if (is_missing(value) || PyFloat_Check(value)) return kNoLevel;
  // Numbers of NumPy are no Python integers but have an index.
  if (!PyLong_Check(value) && !PyIndex_Check(value)) return kNoLevel;
  return levels.find(nb::str(nb::handle(value)).c_str());
}

std::string unit_from(PyObject* value) {
  if (PyUnicode_Check(value)) return std::string(text_of(value));
  if (is_missing(value)) return "";
  if (PyLong_Check(value) || PyIndex_Check(value)) return nb::str(nb::handle(value)).c_str();
  if (PyBytes_Check(value)) {
    return {PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value))};
  }
  if (PyFloat_Check(value) && PyFloat_AS_DOUBLE(value) != PyFloat_AS_DOUBLE(value)) return "";
  throw RequestError("unit", "a unit of type " + std::string(Py_TYPE(value)->tp_name) +
                                 " was given; accepted: text, bytes or whole numbers, None where it is not known");
}

}  // namespace rivulet::python
