// The extension module rivulet._core: the public C++ interface for python/rivulet, thin.
#include <nanobind/nanobind.h>

#include "errors.h"
#include "fingerprint.h"
#include "live_stream.h"
#include "options.h"
#include "published.h"
#include "rivulet/version.h"
#include "rows.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using namespace rivulet::python;
  module.doc() = "Rivulet's C++ core. Use the package rivulet.";
  module.attr("version") = rivulet::kVersion;
  bind_errors();
  bind_schema(module);
  bind_options(module);
  bind_rows(module);
  bind_published(module);
  bind_post_processing(module);
  bind_fingerprint(module);
  bind_live_stream(module);
}
