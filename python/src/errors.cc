#include "errors.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>

namespace nb = nanobind;

namespace rivulet::python {
namespace {

void raise(const char* type, const std::exception& error, std::string field = "") {
  try {
    // Settings have underscores in Python; a column is called what it is called.
    std::string text = error.what();
    if (const std::size_t end = field.find(' '); !field.empty()) {
      for (std::size_t i = 0; i < std::min(end, field.size()); ++i) {
        if (field[i] == '-') field[i] = text[i] = '_';
      }
    }
    const nb::object made = nb::module_::import_("rivulet._errors").attr(type)(nb::str(text.c_str(), text.size()));
    if (!field.empty()) made.attr("field") = nb::str(field.c_str(), field.size());
    PyErr_SetObject(made.type().ptr(), made.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RequestError& error) {
    raise("RequestError", error, error.field());
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const DamagedFile& error) {
    raise("DamagedFile", error);
  } catch (const ModelConflict& error) {
    raise("ModelConflict", error);
  } catch (const HorizonExceeded& error) {
    raise("HorizonExceeded", error);
  } catch (const Misuse& error) {
    raise("PrivacyError", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator(translate);
}

}  // namespace rivulet::python
