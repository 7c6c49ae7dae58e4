// The kernel of PrivIncERM. Rows stay: every call of the batch solver goes over all of them again. What comes out are
// sums of clipped gradients with noise, or minimisers with noise, as many as the budget pays for.
//
// Promise. For neighbouring streams of rows, even when every row and every theta is chosen after seeing all that came
// out so far, the sequence of all NoisyGradient and NoisyMinimiser values ever returned is
// (epsilon, delta)-indistinguishable for the plan's budget; docs/privacy.md proves it. The derivative of the loss is
// computed in floating point. For sums of gradients by code that may be the user's; the promise rests on the integer
// check of what it returns alone. For minimisers by the library's own code; the promise rests on a bound of its
// rounding errors.
//
// Memory: 4 (d + 1) bytes a row. Time: O(d) a row and sum, a minimiser's iterations counted as sums.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "kernel/inside.h"
#include "kernel/kept_rows.h"
#include "kernel/noise_source.h"
#include "kernel/row_lattice.h"
#include "kernel/unit_cap.h"
#include "privacy/erm_schedule.h"
#include "privacy/gradient_plan.h"
#include "rivulet/loss.h"
#include "wall/noisy_step.h"
#include "wall/sensitive_state.h"

namespace rivulet::kernel {

// Output perturbation: over ||theta|| <= radius, by so many steps. Public.
struct MinimiserRequest {
  double radius = 1.0;
  double ridge = 0.0;
  std::uint64_t iterations = 1;
};

// A call of the solver: its number, the step it is due at, and the rows in the steps up to this one.
struct CallOf {
  std::uint64_t number = 0;
  std::uint64_t step = 0;
  std::uint64_t rows = 0;
};

class HistoryKernel {
 public:
  // `lipschitz` is where derivatives of the loss are cut.
  HistoryKernel(const privacy::GradientPlan& plan, const Schema& schema, std::shared_ptr<const Loss> loss,
                double lipschitz, std::unique_ptr<NoiseSource> noise, const Domain& domain = {});

  // As Kernel::observe().
  void observe(std::span<const double> values, double target, std::optional<std::string_view> unit = std::nullopt);
  void observe(const SparseRow& row, double target, std::optional<std::string_view> unit = std::nullopt);

  [[nodiscard]] std::uint64_t rows_in_step() const { return rows_ - released_rows_; }
  [[nodiscard]] std::uint64_t rows_per_step() const { return plan_.request().rows_per_step; }
  [[nodiscard]] bool step_is_full() const { return rows_in_step() >= rows_per_step(); }
  // Ends the step: its rows are part of all later sums. Publishes nothing.
  void close_step();
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t released_rows() const { return released_rows_; }

  // Before the sums of a call, over the rows up to a step that was closed. `start` is where the solver begins. Draws
  // are decided by a secret that every save() draws anew and keeps, by these rows and by what is given here: a call
  // that follows a save and is begun again from there draws the same, any other call something else. Throws Error when
  // there are not so many rows in closed steps.
  void begin_call(const CallOf& call, std::span<const double> start);
  // With an insecure seed, or for one call: over the rows of all closed steps.
  void begin_call(std::uint64_t number) { begin_call({number, steps_, released_rows_}, {}); }
  // The sum over the rows of the call (of closed steps, before the first) whose number is congruent to `part` modulo
  // `parts` (all of them: 0, 1), at theta. Costs mu_k^2 of the budget when parts is 1; the `parts` sums of one pass
  // over disjoint parts, made with the same mu_k, cost mu_k^2 together, because a row is in one of them: the first
  // pays, and the others must follow in order. Throws Error, releasing nothing, when the budget is spent, the plan's
  // most_sums are, a part is out of order or theta is not finite.
  void noisy_gradient(std::span<const double> theta, double mu_k, NoisyGradient& out, std::uint64_t part = 0,
                      std::uint64_t parts = 1);
  // A minimiser of the loss's sum over the rows of closed steps with a ridge (privacy/erm_minimiser.h), with noise.
  // Costs mu^2. Throws Error, releasing nothing, as noisy_gradient(), when the loss is not one of the library's or
  // there is no row; RequestError as MinimiserProblem::of().
  void noisy_minimiser(const MinimiserRequest& request, double mu, NoisyMinimiser& out);
  // What has been paid so far.
  [[nodiscard]] const privacy::ErmSpend& spend() const { return spend_; }

  // As Kernel::save() and restore(). Between calls of the solver; the rows since the last save go into `history`.
  void save(SensitiveState& out);
  void restore(const SensitiveState& state);

  // For the operator's eyes only: exact, not private, never to be published.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const { return unusable_; }
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const { return over_limit_; }

 private:
  template <class Values>
  void observe_row(const Values& values, double target, std::optional<std::string_view> unit);
  [[nodiscard]] std::string mechanism() const;
  void restore_history(std::string_view bytes);
  [[nodiscard]] Sha256Digest digest_of_rows(std::uint64_t rows);
  void require_sound() const;
  void charge(double mu_k, std::uint64_t part, std::uint64_t parts);

  privacy::GradientPlan plan_;
  RowLattice lattice_;
  std::shared_ptr<const Loss> loss_;
  double coefficient_factor_;
  std::unique_ptr<NoiseSource> noise_;
  std::unique_ptr<UnitCap> units_;
  std::size_t order_;  // entries of a row: x, then y
  std::vector<std::int32_t> history_;
  std::vector<double> quantised_;
  RowScratch scratch_;
  RowBlock block_;
  std::vector<double> coefficients_;  // c of a block's rows, integers in units of lipschitz 2^-bits
  std::vector<std::int64_t> sums_;
  std::uint64_t rows_ = 0;
  std::uint64_t saved_rows_ = 0;
  bool broken_ = false;  // a state was taken up in part
  std::uint64_t released_rows_ = 0;
  std::uint64_t call_rows_ = 0;  // that the call under way goes over
  Sha256 hashed_;                // of the first hashed_rows_ rows
  std::uint64_t hashed_rows_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t unusable_ = 0;
  std::uint64_t over_limit_ = 0;
  privacy::ErmSpend spend_;
  std::uint64_t sums_released_ = 0;  // discreteness is charged for plan_.request().most_sums of them
  // Of the pass under way: parts still to come at this price.
  std::uint64_t next_part_ = 0;
  std::uint64_t pass_parts_ = 1;
  double pass_mu_ = 0.0;
  std::uint64_t pass_rows_ = 0;
};

}  // namespace rivulet::kernel
