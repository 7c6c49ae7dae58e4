// What a person reads about a model.
#pragma once

#include <cstdint>
#include <string>

#include "rivulet/model.h"
#include "rivulet/priv_inc_reg1.h"
#include "stream/row_source.h"

namespace rivulet::cli {

// The coefficients with standard errors, intervals and marks, and how well the model fits; ends in a newline. Without
// the sum of squared targets (profile `paper`) there are coefficients alone.
std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema, double level = 0.95);
// The promise in one sentence, or, where noise was deterministic, that there is none.
std::string promise_or_warning(const PrivIncReg1::Options& options, std::uint64_t releases);

// For the operator's eyes only: exact.
struct OperatorCounts {
  stream::OperatorTally tally;
  std::uint64_t over_limit = 0;      // rows of units that had their share
  std::uint64_t outside_domain = 0;  // rows that do not meet the conditions

  [[nodiscard]] std::uint64_t unusable() const { return tally.unusable() + over_limit + outside_domain; }
};
// One line, which says that it is not to be published.
std::string operator_note(const OperatorCounts& counts);

}  // namespace rivulet::cli
