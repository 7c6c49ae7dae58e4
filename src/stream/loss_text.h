// Settings of losses other than least squares, from text, as setting_text.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/erm_settings.h"
#include "rivulet/schema.h"

namespace rivulet::stream {

// Which mechanism runs: PrivIncReg1, PrivIncReg2 on sketched rows, PrivIncERM, logistic regression from the statistics
// of PrivIncReg1, or one of the comparisons that PrivIncERM improves on.
enum class Mechanism { full, sketch, erm, surrogate, naive, trivial };
Mechanism parse_mechanism(std::string_view word, std::string_view field = "mechanism");
std::string_view to_string(Mechanism mechanism);
// Those that keep rows and go over them again.
bool is_erm(Mechanism mechanism);

// "gradient-descent", "frank-wolfe" or "output-perturbation".
ErmMethod parse_erm_method(std::string_view word, std::string_view field = "method");
std::string_view to_string(ErmMethod method);
// "convex", "strongly-convex" or "width".
ErmTauRule parse_tau_rule(std::string_view word, std::string_view field = "tau-rule");
std::string_view to_string(ErmTauRule rule);

// The two classes of a target, the negative one first, as they were written.
using ClassNames = std::array<std::string, 2>;
// "no,yes", the value of --classes; where there is a '|' it separates, so that a class may hold a comma.
ClassNames parse_classes(std::string_view text, std::string_view field = "classes");
// Two, not empty and not the same, neither as text nor as numbers.
ClassNames checked_classes(std::vector<std::string> names, std::string_view field = "classes");
// Those of a schema that has them.
ClassNames class_names(const Schema& schema);
// Both as numbers, when both are.
std::optional<std::array<double, 2>> class_numbers(const ClassNames& names);

}  // namespace rivulet::stream
