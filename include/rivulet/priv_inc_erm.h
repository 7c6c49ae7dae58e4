// PrivIncERM: private incremental empirical risk minimisation for any convex loss of a linear prediction.
//
//   rivulet::PrivIncErm::Options options;
//   options.budget = {.epsilon = 1.0, .delta = 1e-6};
//   options.schema.feature("age", {18, 90}).feature("income", {0, 200000}).classes("churned", 0, 1);
//   options.loss = rivulet::make_logistic_loss();
//   options.horizon = rivulet::Horizon::known(500);
//   options.release_every = 100;
//   rivulet::PrivIncErm erm(options);
//   for (const auto& person : people) {
//     if (erm.observe(std::array{person.age, person.income}, person.churned)) publish(erm.model());
//   }
//
// Every tau steps a private batch solver runs over all rows so far; in between the last model stands (the paper's
// Mechanism PrivIncERM). All publications together are (epsilon, delta)-differentially private for every row. The
// solver sees rows only through noisy sums of clipped gradients, or is the kernel itself, which adds noise to a
// minimiser (output_perturbation); what they cost adds up exactly (docs/privacy.md).
//
// For the losses that have a name, IncrementalRegression and DurableRegression do the same (StreamOptions::erm), the
// latter in a model file; this class takes any Loss.
//
// Error: Theorem 3.1 of the paper, about (T d)^(1/3) for convex losses over an L2 ball; PrivIncReg1 does better for the
// squared loss (docs/losses.md has figures). Memory: 4 (d + 1) bytes a row, because rows are gone over again at every
// call; they stay inside the kernel. Time a call: iterations times rows times d. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/loss.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "rivulet/sparse_row.h"
#include "rivulet/stream_options.h"

namespace rivulet {

namespace erm {
class ErmPlan;
}

class PrivIncErm {
 public:
  using Mechanism = ErmMechanism;
  using Method = ErmMethod;
  using TauRule = ErmTauRule;

  struct Options : ErmSettings {
    Budget budget{};
    Schema schema{};
    std::shared_ptr<const Loss> loss{};  // required; a classification loss goes with Schema::classes
    Neighbours neighbours = Neighbours::replace;
    std::optional<PrivacyUnit> unit{};
    std::vector<std::string> only_if{};
    Profile profile = Profile::tight;  // paper: the paper's budget for a call
    Horizon horizon = Horizon::unbounded();
    std::uint64_t release_every = 1;
    std::string constraint = "l2:2";
    std::optional<std::uint64_t> insecure_seed{};
  };

  // Throws RequestError, before any row is seen, when the request cannot be honoured.
  explicit PrivIncErm(const Options& options);
  PrivIncErm(PrivIncErm&&) noexcept;
  PrivIncErm& operator=(PrivIncErm&&) noexcept;
  ~PrivIncErm();

  // As IncrementalRegression::observe() and flush(); the row that completes a step at which a call is due waits for it.
  bool observe(std::span<const double> values, double target);
  bool observe(std::span<const double> values, double target, std::string_view unit);
  bool observe(const SparseRow& row, double target);
  bool observe(const SparseRow& row, double target, std::string_view unit);
  bool flush();

  [[nodiscard]] std::uint64_t step() const;
  [[nodiscard]] std::uint64_t released_rows() const;
  // The model as of the last step: that of the last call. With classes its predictions are scores, log-odds of the
  // positive class for the logistic loss. `noise` is not used.
  [[nodiscard]] Model model() const;

  // Options with tau, method, rule and averaging filled in, and what was decided before the first row. The plan's type
  // is internal to Rivulet.
  [[nodiscard]] const Options& options() const;
  [[nodiscard]] const erm::ErmPlan& plan() const;
  // Calls so far, and the Gaussian parameter of everything they cost together: public, and never above that of the
  // budget.
  [[nodiscard]] std::uint64_t calls() const;
  [[nodiscard]] double spent_mu() const;

  // For the operator's eyes only: NOT private; never publish them.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const;
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
