#include "rivulet/input_set.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/number_text.h"
#include "rivulet/constraint.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

double tail(double t) {
  return 0.5 * std::erfc(t / std::numbers::sqrt2);
}

// The largest K of d squared normals sum to K t^2 + sum of (g_i^2 - t^2)_+ at most, for every t; the expectation of
// that is least where 2 Q(t) = K / d, and then 2 d (t phi(t) + Q(t)). Jensen's inequality takes the root outside.
double sparse_width(double nonzeros, double dimension) {
  double low = 0.0;
  double high = 40.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (2.0 * tail(middle) > nonzeros / dimension ? low : high) = middle;
  }
  const double density = std::exp(-0.5 * low * low) / std::sqrt(2.0 * std::numbers::pi);
  return std::sqrt(2.0 * dimension * (low * density + tail(low)));
}

std::optional<double> number(std::string_view text) {
  double value = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, value);
  return status == std::errc{} && end == last && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool keeps_zeros(const Schema& schema) {
  if (!schema.has_intercept()) return true;
  return std::all_of(schema.features().begin(), schema.features().end(), [](const Feature& feature) {
    const auto* bounds = std::get_if<Interval>(&feature.domain);
    return bounds == nullptr || bounds->lo == -bounds->hi;
  });
}

}  // namespace

InputSet InputSet::parse(std::string_view text, const Schema& schema, std::string_view field) {
  schema.validate();
  const std::size_t dimension = schema.dimension();
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  // Not positive when there is none.
  const double limit = colon == std::string_view::npos ? 0.0 : number(text.substr(colon + 1)).value_or(0.0);
  if (text == "dense") return {Kind::dense, 0.0, dimension, schema.norm_limit()};
  if (word == "sparse" && limit >= 1.0 && limit == std::floor(limit)) {
    return {Kind::sparse, limit, dimension, schema.norm_limit()};
  }
  if (word == "l1" && limit > 0.0) return {Kind::l1, limit, dimension, schema.norm_limit()};
  throw RequestError(std::string(field), shown(text) +
                                             " is none; accepted: dense, sparse:K with a whole number K of 1 or more, "
                                             "l1:R with a positive number R");
}

InputSet InputSet::implied_by(const std::vector<std::string>& only_if, const Schema& schema) {
  InputSet best = parse("dense", schema);
  const double intercept = schema.has_intercept() ? 1.0 : 0.0;
  const Domain domain(only_if, schema);
  for (const Domain::Condition& condition : domain.conditions()) {
    InputSet set = best;
    set.limit_ = condition.hi + intercept;
    if (condition.kind == Domain::Condition::Kind::nonzeros && keeps_zeros(schema)) {
      set.kind_ = Kind::sparse;
      set.limit_ = std::max(1.0, set.limit_);
    } else if (condition.kind == Domain::Condition::Kind::l1_norm && set.limit_ > 0.0) {
      set.kind_ = Kind::l1;
    } else {
      continue;
    }
    if (set.gaussian_width() < best.gaussian_width()) best = set;
  }
  return best;
}

std::string InputSet::name() const {
  switch (kind_) {
    case Kind::dense:
      return "dense";
    case Kind::sparse:
      return "sparse:" + shown(limit_);
    case Kind::l1:
      return "l1:" + shown(limit_);
  }
  return "";
}

double InputSet::gaussian_width() const {
  const double dimension = static_cast<double>(dimension_);
  const double dense = std::sqrt(dimension);
  switch (kind_) {
    case Kind::dense:
      return dense;
    case Kind::sparse:
      return limit_ >= dimension ? dense : std::min(dense, sparse_width(limit_, dimension));
    case Kind::l1:
      return std::min(dense, make_l1_ball(dimension_, limit_ / norm_limit_)->gaussian_width());
  }
  return dense;
}

}  // namespace rivulet
