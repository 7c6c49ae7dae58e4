// Arbitrary bytes as a configuration: read or refused with Rivulet's own errors in one line, and a schema that was
// built is consistent.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "request/toml_file.h"
#include "rivulet/error.h"

using namespace rivulet;
using namespace rivulet::request;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Settings settings = parse_toml_settings({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    const Schema schema = schema_from(with_dimension(merge(Json::object(), settings)));
    if (!(schema.norm_limit() > 0.0)) std::abort();
    // A block may have more columns than there is memory for their names.
    constexpr std::size_t kMostNamed = 100'000;
    if (schema.dimension() > kMostNamed) return 0;
    if (schema.coordinate_names().size() != schema.dimension()) std::abort();
    if (schema.value_scales().size() != schema.row_width()) std::abort();
    for (const Schema::Scale& scale : schema.value_scales()) {
      if (!(scale.half_range > 0.0) || !std::isfinite(scale.centre)) std::abort();
    }
    const StreamOptions request = read_request(settings);
    if (settings_of(read_request(settings_of(request))) != settings_of(request)) std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
