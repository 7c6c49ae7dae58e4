// What there is to say of a mechanism before there is any data, for people and as JSON.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "erm/erm_plan.h"
#include "fit/excess_risk.h"
#include "fit/sketch_plan.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/plan.h"

namespace rivulet::plan {

// How reports are laid out.

inline std::string line(const std::string& label, const std::string& value) {
  return fmt::format("  {:<24}{}\n", label, value);
}

// What there is to say of PrivIncERM and the two mechanisms it is compared with.

// Calls of the solver up to a step.
std::uint64_t calls_until(const ErmSettings& erm, std::uint64_t step);
// What rows that are kept take, in bytes: 4 for each coordinate and the target.
double kept_bytes(const Schema& schema, double rows);
// 1.5 GB, 12 kB, ...
std::string shown_bytes(double bytes);

class ErmReport {
 public:
  // `plan` must outlive this. The steps to report, each up to its last.
  ErmReport(const erm::ErmPlan& plan, std::vector<std::uint64_t> steps);

  // Below the promise.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  // As of a step: of the last call up to it.
  struct AtStep {
    std::uint64_t step = 0;
    double rows = 0.0;
    std::uint64_t calls = 0;
    double call_mu = 0.0;
    std::uint64_t iterations = 0;
    double window_calls = 0.0;
    double sum_stddev = 0.0;   // of a coordinate of one noisy sum of gradients
    double call_stddev = 0.0;  // of the mean of the call's sums
    double noise_risk = 0.0;   // w(K) call_stddev
    double age_risk = 0.0;     // 2 tau L ||K||, tau in rows
    double memory_bytes = 0.0;
    double multiplications = 0.0;  // of the call
  };

  [[nodiscard]] AtStep at(std::uint64_t step) const;
  // Theorem 3.1 in the part of the rule, constants and powers of log(T / beta) left out.
  [[nodiscard]] double theorem() const;
  [[nodiscard]] const char* theorem_name() const;
  [[nodiscard]] std::uint64_t paper_rows() const;
  [[nodiscard]] std::string tau_text() const;
  [[nodiscard]] std::string times_text() const;
  [[nodiscard]] std::string outlook_text() const;

  const erm::ErmPlan& plan_;
  std::vector<std::uint64_t> steps_;
};

// What there is to say of private sums (PrivIncReg1, PrivIncReg2, the surrogate).

class SumsReport {
 public:
  // All must outlive this; the questions name their steps. `first_was_asked`: the figures at the top are of the first
  // of them.
  SumsReport(const StreamOptions& request, const privacy::MechanismPlan& plan, const ConstraintSet& set,
             const PlanQuestions& questions, bool first_was_asked);

  // Below the promise.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  [[nodiscard]] std::string mechanism_text() const;
  [[nodiscard]] std::string noise_text() const;
  [[nodiscard]] std::string recommendation() const;
  [[nodiscard]] std::string sketch_text() const;
  [[nodiscard]] nlohmann::ordered_json sketch_json() const;
  // T of the paper: the horizon, or the last step reported when there is none.
  [[nodiscard]] std::uint64_t paper_steps() const;
  // For the full matrix, with a sketch too.
  [[nodiscard]] double theorem_4_2() const;

  const StreamOptions& request_;
  const privacy::MechanismPlan& plan_;
  const ConstraintSet& set_;
  const PlanQuestions& questions_;
  bool first_was_asked_;
  fit::PlanReport report_;
  fit::SketchPlan sketches_;
};

}  // namespace rivulet::plan
