// For the operator's eyes only: exact counts of rows that did not fare well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/source_state.h"
#include "input/row_source.h"
#include "rivulet/durable_regression.h"

namespace rivulet::cli {

struct OperatorCounts {
  input::OperatorTally tally;
  std::uint64_t over_limit = 0;      // rows of units that had their share
  std::uint64_t outside_domain = 0;  // rows that do not meet the conditions
  std::uint64_t distorted = 0;       // used all the same: rows whose length the sketch did not keep

  [[nodiscard]] std::uint64_t unusable() const { return tally.unusable() + over_limit + outside_domain; }
};

OperatorCounts counts_in(const SourceState& state);

// "1 row", "12 rows".
std::string counted(std::uint64_t rows);
// Which doors that many rows came through: those that left a name, and the rest.
std::string doors_text(const std::vector<Door>& doors, std::uint64_t rows);

// One line for each thing there is to say, which says that it is not to be published; nothing when there is nothing.
// `sketched`: a row may also be lost because the sketch maps it to 0.
std::string operator_note(const OperatorCounts& counts, bool sketched);

// Rows on their way from a source to a regression, and what became of them. For the operator's eyes only: exact.

// A regression is an IncrementalRegression or a DurableRegression.
template <typename Regression>
bool observe_row(Regression& regression, const input::Row& row) {
  const auto observe = [&](const auto& values) {
    return regression.options().unit ? regression.observe(values, row.target, row.unit)
                                     : regression.observe(values, row.target);
  };
  return row.sparse ? observe(row.sparse_view()) : observe(row.values);
}

// The row source knows rows that cannot be read, the kernel knows rows it could not use; a row may be both. Here each
// counts once: under what is wrong with it, else under what kept it out. Rows that were read and never taken (past the
// horizon, or when the releases' reader has gone) do not count.
class RowAccount {
 public:
  // With what earlier runs counted.
  template <typename Regression>
  void go_on(const OperatorCounts& earlier, const Regression& regression) {
    earlier_ = earlier.tally;
    kernel_over_limit_ = regression.over_limit_rows_for_operator();
    faulty_over_limit_ = kernel_over_limit_ - earlier.over_limit;
  }

  // After the regression has taken the row; `tally` is of this run.
  template <typename Regression>
  void took(const input::Row& row, const input::OperatorTally& tally, const Regression& regression) {
    tally_ = tally;
    const std::uint64_t over_limit = regression.over_limit_rows_for_operator();
    if (!row.usable) faulty_over_limit_ += over_limit - kernel_over_limit_;
    kernel_over_limit_ = over_limit;
  }

  template <typename Regression>
  [[nodiscard]] OperatorCounts counts(const Regression& regression) const {
    OperatorCounts counts{earlier_, kernel_over_limit_ - faulty_over_limit_, 0,
                          regression.distorted_rows_for_operator()};
    counts.tally += tally_;
    counts.outside_domain = regression.unusable_rows_for_operator() - counts.over_limit - counts.tally.unusable();
    return counts;
  }

 private:
  input::OperatorTally earlier_;
  input::OperatorTally tally_;
  std::uint64_t kernel_over_limit_ = 0;
  std::uint64_t faulty_over_limit_ = 0;  // of those, rows that could not be read either
};

}  // namespace rivulet::cli
