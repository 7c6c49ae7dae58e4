// Settings from values of a TOML file. What is not accepted is a RequestError that names the key, the value and what
// would be accepted.
#pragma once

#include <cstdint>
#include <string>
#include <toml.hpp>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/schema.h"
#include "stream/loss_text.h"

namespace rivulet::stream {

[[noreturn]] void refuse_value(const std::string& key, const toml::value& value, const std::string& accepted);

// Text that is not empty.
std::string text_of(const std::string& key, const toml::value& value, const std::string& accepted);
// A list of texts, none of them empty.
std::vector<std::string> names_of(const std::string& key, const toml::value& value, const std::string& accepted);
bool switch_of(const std::string& key, const toml::value& value);

// Any number the parser could represent.
double number_of(const std::string& key, const toml::value& value, const std::string& accepted);
double positive_of(const std::string& key, const toml::value& value);
std::uint64_t positive_whole_of(const std::string& key, const toml::value& value,
                                const std::string& accepted = "a positive whole number, e.g. 100");

// A whole number from 0 on; those beyond the integers of TOML in quotes.
std::uint64_t whole_of(const std::string& key, const toml::value& value);

// [lo, hi] or "lo:hi", finite and in this order.
Interval interval_of(const std::string& key, const toml::value& value);
// A list of two texts or numbers, or the text of --classes.
ClassNames classes_of(const std::string& key, const toml::value& value);
// "unbounded" or a positive whole number of steps.
Horizon horizon_of(const std::string& key, const toml::value& value);

}  // namespace rivulet::stream
