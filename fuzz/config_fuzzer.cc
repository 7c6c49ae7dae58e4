// Arbitrary bytes as a configuration: read or refused with Rivulet's own errors in one line, and a schema that was
// built is consistent.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rivulet/error.h"
#include "stream/config.h"

using namespace rivulet;
using namespace rivulet::stream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const FitConfig config = parse_config({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    for (const std::string& condition : config.only_if) {
      if (condition.empty()) std::abort();
    }
    if (config.max_rows_per_unit == 0u || config.model == "" || config.unit == "") std::abort();
    const Schema schema = build_schema(merge(FitConfig{}, config));
    if (schema.coordinate_names().size() != schema.dimension()) std::abort();
    if (schema.value_scales().size() != schema.row_width()) std::abort();
    if (!(schema.norm_limit() > 0.0)) std::abort();
    for (const Schema::Scale& scale : schema.value_scales()) {
      if (!(scale.half_range > 0.0) || !std::isfinite(scale.centre)) std::abort();
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
