#include "rows.h"

namespace nb = nanobind;

namespace rivulet::python {

void bind_rows(nb::module_& module) {
  nb::class_<Rows>(module, "Rows", "Rows on their way to a stream or a model; can be gone through once.")
      .def_prop_ro("width", &Rows::width, "Supplied values a row.");
  bind_row_columns(module);
  bind_array_rows(module);
  bind_arrow_rows(module);
}

}  // namespace rivulet::python
