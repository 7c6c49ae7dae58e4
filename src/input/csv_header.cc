#include "input/csv_header.h"

#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::input {

bool is_declared(const std::string& column, const Schema& schema) {
  return column == schema.target_name() || schema.value_of(column).has_value() ||
         std::any_of(schema.features().begin(), schema.features().end(),
                     [&](const Feature& feature) { return feature.name == column; });
}

CsvHeader::CsvHeader(std::vector<std::string> names, const Schema& schema, const std::string& source_name)
    : names_(std::move(names)), schema_(schema), source_name_(source_name) {
  places_.reserve(names_.size());
  for (std::size_t field = 0; field < names_.size(); ++field) {
    const auto [place, is_new] = places_.try_emplace(names_[field], Place{field});
    if (!is_new) place->second.repeated = true;
  }
}

std::size_t CsvHeader::field_of(const std::string& column) const {
  const auto found = places_.find(column);
  if (found == places_.end()) {
    throw RequestError("column " + column, "not found in " + source_name_ + "; " + listed());
  }
  if (found->second.repeated) {
    throw RequestError("column " + column, "stands more than once in the header of " + source_name_ +
                                               "; accepted: a header that names it once");
  }
  return found->second.field;
}

// A first line that names none of the declared columns, or holds a number or an empty name, may well be a row of a file
// without a header, and a row is never shown.
std::string CsvHeader::listed() const {
  const auto is_known = [&](const std::string& name) { return is_declared(name, schema_); };
  const auto is_no_name = [](const std::string& name) { return name.empty() || parse_finite(name).has_value(); };
  if (std::none_of(names_.begin(), names_.end(), is_known) || std::any_of(names_.begin(), names_.end(), is_no_name)) {
    return "the first line does not look like the header of these columns, so it is not shown; accepted: a header line "
           "with the name of every column";
  }
  constexpr std::size_t kMost = 50;
  std::string names;
  for (std::size_t i = 0; i < std::min(names_.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + shown(names_[i]);
  }
  if (names_.size() > kMost) names += " and " + std::to_string(names_.size() - kMost) + " more";
  return "the header has " + names;
}

}  // namespace rivulet::input
