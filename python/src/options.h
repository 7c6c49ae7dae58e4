// What a stream is asked for, from Python.
#pragma once

#include <nanobind/nanobind.h>

#include "rivulet/schema.h"
#include "rivulet/stream_options.h"

namespace rivulet::python {

void bind_schema(nanobind::module_& module);
void bind_options(nanobind::module_& module);

// As plain Python values, and back: for pickles of what is public.
nanobind::dict schema_state(const Schema& schema);
Schema schema_from_state(const nanobind::dict& state);

}  // namespace rivulet::python
