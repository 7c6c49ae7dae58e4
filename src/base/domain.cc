#include "rivulet/domain.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

constexpr const char* kAccepted = "accepted: nonzeros<=K, l1<=R, or COLUMN=LO:HI for a numeric feature or the target";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw RequestError("only-if", shown(text) + " " + why + "; " + kAccepted);
}

std::optional<double> finite(std::string_view text) {
  double value = 0.0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A norm's limit: "<=" has been seen.
Domain::Condition limit(std::string_view text, std::string_view name, std::string_view number) {
  const std::optional<double> most = finite(number);
  if (name == "nonzeros") {
    if (!most || *most < 0.0 || *most != std::floor(*most)) refuse(text, "has no whole number K of 0 or more");
    return {Domain::Condition::Kind::nonzeros, 0, 0.0, *most};
  }
  if (name == "l1") {
    if (!most || *most < 0.0) refuse(text, "has no number R of 0 or more");
    return {Domain::Condition::Kind::l1_norm, 0, 0.0, *most};
  }
  refuse(text, "limits something that has no limit");
}

// Where the column's value stands in a row; nothing for the target.
std::optional<std::size_t> value_of(std::string_view text, std::string_view column, const Schema& schema) {
  if (column == schema.target_name()) return std::nullopt;
  if (const auto value = schema.value_of(column)) return value;
  for (const Feature& feature : schema.features()) {
    if (feature.name != column) continue;
    refuse(text, std::holds_alternative<Levels>(feature.domain)
                     ? "gives a range to a categorical column; its levels are declared instead"
                     : "gives a range to a block; it has to name one of its columns");
  }
  refuse(text, "names a column that is neither a feature nor the target");
}

Domain::Condition range(std::string_view text, const Schema& schema) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) refuse(text, "is no condition");
  const std::string_view bounds = text.substr(equals + 1);
  const std::size_t colon = bounds.find(':');
  if (colon == std::string_view::npos) refuse(text, "has no range LO:HI");
  const auto lo = finite(bounds.substr(0, colon));
  const auto hi = finite(bounds.substr(colon + 1));
  if (!lo || !hi || *lo > *hi) refuse(text, "has no range of two finite numbers LO:HI with LO <= HI");
  const auto value = value_of(text, text.substr(0, equals), schema);
  if (!value) return {Domain::Condition::Kind::target, 0, *lo, *hi};
  return {Domain::Condition::Kind::value, *value, *lo, *hi};
}

}  // namespace

Domain::Domain(const std::vector<std::string>& conditions, const Schema& schema) {
  schema.validate();
  for (const std::string& condition : conditions) {
    const std::string_view text = condition;
    const std::size_t at_most = text.find("<=");
    conditions_.push_back(at_most == std::string_view::npos
                              ? range(text, schema)
                              : limit(text, text.substr(0, at_most), text.substr(at_most + 2)));
  }
}

}  // namespace rivulet
