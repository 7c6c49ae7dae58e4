// What there is to say of private sums (PrivIncReg1, PrivIncReg2, the surrogate).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "fit/plan_report.h"
#include "fit/sketch_plan.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/plan.h"

namespace rivulet::plan {

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
