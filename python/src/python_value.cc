#include "python_value.h"

#include <limits>

namespace nb = nanobind;

namespace rivulet::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// None and pandas' NA.
bool is_missing(PyObject* value) {
  if (value == Py_None) return true;
  const std::string_view type = Py_TYPE(value)->tp_name;
  return type == "NAType" || type == "pandas._libs.missing.NAType";
}

bool is_numpy_truth(PyObject* value) {
  const std::string_view type = Py_TYPE(value)->tp_name;
  return type == "numpy.bool" || type == "numpy.bool_";
}

// A whole number in decimal digits, by its value; nothing for other types and for numbers too long to write.
std::optional<std::string> whole_text(PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True ? "True" : "False";
  if (is_numpy_truth(value)) {
    const int truth = PyObject_IsTrue(value);
    if (truth >= 0) return truth == 1 ? "True" : "False";
    forget_error();
    return std::nullopt;
  }
  if (!PyLong_Check(value) && !PyIndex_Check(value)) return std::nullopt;
  const nb::object whole = nb::steal(PyNumber_Index(value));
  if (!whole.is_valid()) {
    forget_error();
    return std::nullopt;
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow == 0) return std::to_string(number);
  // int's own digits, not those of a subclass.
  const nb::object digits = nb::steal(PyLong_Type.tp_repr(whole.ptr()));
  if (!digits.is_valid()) {
    forget_error();
    return std::nullopt;
  }
  const auto text = text_of(digits.ptr());
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace

void forget_error() {
  if (PyErr_Occurred() == nullptr) return;
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nb::python_error();
  PyErr_Clear();
}

std::optional<std::string_view> text_of(PyObject* value) {
  if (PyUnicode_Check(value)) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
    if (bytes != nullptr) return std::string_view(bytes, static_cast<std::size_t>(size));
    forget_error();
    return std::nullopt;
  }
  if (PyBytes_Check(value)) {
    return std::string_view(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
  }
  return std::nullopt;
}

double number_of_other(PyObject* value) {
  if (is_missing(value)) return kMissing;
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    double number = kMissing;
    if (const auto text = text_of(value)) read_number(*text, number);
    return number;
  }
  const double number = PyFloat_AsDouble(value);
  if (number != -1.0 || PyErr_Occurred() == nullptr) return number;
  const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  forget_error();
  return too_large ? std::numeric_limits<double>::infinity() : kMissing;
}

int level_of(PyObject* value, const LevelNames& levels) {
  if (const auto text = text_of(value)) return levels.find(*text);
  if (is_missing(value) || PyFloat_Check(value)) return kNoLevel;
  const auto whole = whole_text(value);
  return whole ? levels.find(*whole) : kNoLevel;
}

std::string unit_of(PyObject* value) {
  if (const auto text = text_of(value)) return std::string(unit_in(*text));
  return is_missing(value) ? std::string() : whole_text(value).value_or("");
}

double target_of(PyObject* value, const RowLayout& layout) {
  if (layout.class_words() == nullptr) return number_of(value);
  const int place = level_of(value, *layout.class_words());
  return place == kNoLevel ? kMissing : place;
}

}  // namespace rivulet::python
