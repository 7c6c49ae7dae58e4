// Everything PrivIncERM decides before the first row: how often the batch solver is called, what each call may cost,
// and how it goes about it. Public.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "erm/batch_solver.h"
#include "privacy/erm_minimiser.h"
#include "privacy/erm_schedule.h"
#include "privacy/gradient_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/priv_inc_erm.h"

namespace rivulet::erm {

struct ErmCall {
  std::uint64_t number = 0;   // from 1
  double rows = 0.0;          // it goes over
  double mu = 0.0;            // it costs mu^2
  double window_calls = 1.0;  // how many calls' models the published one is a mean of (RunningModel in batch_solver.h)
  BatchSettings settings;     // of output perturbation the iterations alone
};

// What a model file notes of a plan: should a later version plan otherwise, it must notice.
struct ErmDecisions {
  unsigned bits = 0;  // of the kept rows
  std::uint64_t most_sums = 0;
  double mu = 0.0;
  std::uint64_t last_step = 0;
  bool operator==(const ErmDecisions&) const = default;
};

class ErmPlan {
 public:
  // Throws RequestError when the request cannot be honoured.
  explicit ErmPlan(const PrivIncErm::Options& options);

  // Options with tau, method, rule and averaging decided.
  [[nodiscard]] const PrivIncErm::Options& options() const { return options_; }
  [[nodiscard]] const ConstraintSet& set() const { return *set_; }  // in unit-ball units
  // Where the kernel cuts derivatives: the loss's Lipschitz constant over K.
  [[nodiscard]] double lipschitz() const { return lipschitz_; }
  [[nodiscard]] const privacy::GradientPlan& gradients() const { return *gradients_; }

  [[nodiscard]] ErmDecisions decisions() const;

  // The last step that may be published.
  [[nodiscard]] std::uint64_t last_step() const { return last_step_; }
  // The call due at a step that holds `rows` rows with those before it; nothing when none is.
  [[nodiscard]] std::optional<ErmCall> call_at(std::uint64_t step, std::uint64_t rows) const;
  [[nodiscard]] BatchProblem problem(double rows) const;
  // Output perturbation: the problem of such a call, and the noise of a coordinate of its minimiser, in natural units.
  [[nodiscard]] privacy::MinimiserProblem minimiser_problem(double rows) const;
  [[nodiscard]] double minimiser_noise(const ErmCall& call) const;
  // Standard deviation of a coordinate of what a call finds out, in natural units: the mean of its sums, or with output
  // perturbation the minimiser.
  [[nodiscard]] double call_noise(const ErmCall& call) const;
  // Standard deviation of a coordinate of a noisy sum that costs mu_k, in natural units.
  [[nodiscard]] double noise(double mu_k) const;

 private:
  void decide_method();
  void check_output_perturbation() const;
  void decide_period();
  void decide_schedule();
  [[nodiscard]] bool is_drawable(std::uint64_t number) const;
  void require_drawable();
  [[nodiscard]] double total_rows() const;

  PrivIncErm::Options options_;
  std::shared_ptr<const ConstraintSet> set_;
  double lipschitz_ = 1.0;
  double smoothness_ = 0.0;
  std::optional<std::uint64_t> calls_;  // in all; absent: no end
  std::uint64_t most_iterations_ = 1;   // of a call
  std::optional<privacy::GradientPlan> gradients_;
  std::optional<privacy::ErmSchedule> schedule_;
  std::uint64_t last_step_ = 0;
};

}  // namespace rivulet::erm
