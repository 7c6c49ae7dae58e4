// What a person reads at the end of a fit.
#pragma once

#include <string>

#include "rivulet/model.h"
#include "rivulet/priv_inc_reg1.h"

namespace rivulet::cli {

// The coefficient table, ending in a newline.
std::string coefficient_table(const Model& model, const Schema& schema);
// The promise in one sentence.
std::string privacy_statement(const PrivIncReg1::Options& options, std::uint64_t releases);
// Printed wherever noise was deterministic.
std::string insecure_warning(std::uint64_t seed);

}  // namespace rivulet::cli
