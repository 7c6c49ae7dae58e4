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
    if (config.dimension == 0u || config.column_weight == 0u || config.row_set == "") std::abort();
    for (const auto& [name, columns] : config.blocks) {
      if (name.empty() || columns == 0) std::abort();
    }
    const Schema schema = build_schema(with_dimension(merge(FitConfig{}, config)));
    if (!(schema.norm_limit() > 0.0)) std::abort();
    // A block may have more columns than there is memory for their names.
    constexpr std::size_t kMostNamed = 100'000;
    if (schema.dimension() > kMostNamed) return 0;
    if (schema.coordinate_names().size() != schema.dimension()) std::abort();
    if (schema.value_scales().size() != schema.row_width()) std::abort();
    for (const Schema::Scale& scale : schema.value_scales()) {
      if (!(scale.half_range > 0.0) || !std::isfinite(scale.centre)) std::abort();
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
