// The state a stream goes on from, as rows of its model file: what is public by content beside the sensitive half, each
// useless without the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "log/database.h"
#include "log/promise.h"
#include "log/public_half.h"
#include "regression/regression_state.h"
#include "rivulet/model.h"
#include "store/sensitive_half.h"

namespace rivulet::store {

struct WorkingState {
  RegressionState regression;
  std::vector<Statistics> drawn;  // of the steps after the last release, whose models are still to be found
  std::string source;
  std::uint64_t delivered = 0;
  std::uint64_t commits = 0;  // so far: no two commits leave the same state behind
};

// As of `tip`, which the state is bound to. Throws DamagedFile.
WorkingState read_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Promise& promise,
                                const log::Tip& tip);

// Inside the caller's transaction.
void write_working_state(log::Database& database, SensitiveHalf& sensitive, const log::Tip& tip,
                         const RegressionState& regression, std::span<const Statistics> drawn, std::string_view source,
                         std::uint64_t delivered, std::uint64_t commits);

// Notes that from now on there are commits in the write-ahead log alone; the next write_working_state() takes it back.
void note_log_needed(log::Database& database);

}  // namespace rivulet::store
