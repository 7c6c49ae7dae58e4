// What `rivulet plan` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fit/plan_report.h"
#include "fit/sketch_plan.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/stream_options.h"

namespace rivulet::cli {

struct PlanRequest {
  StreamOptions options;  // in unit-ball units, defaults filled in
  std::vector<std::uint64_t> steps;
  bool steps_were_chosen = false;
  double share = 0.1;
  double beta = 0.05;
  bool about_sketches = false;  // asked for in so many words
};

// Everything there is to say, worked out.
class PlanOutput {
 public:
  // `plan` and `set` must outlive this.
  PlanOutput(const PlanRequest& request, const privacy::MechanismPlan& plan, const ConstraintSet& set);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  [[nodiscard]] std::string promise_text() const;
  [[nodiscard]] std::string mechanism_text() const;
  [[nodiscard]] std::string noise_text() const;
  [[nodiscard]] std::string sketch_text() const;
  // T of the paper: the horizon, or the last step reported when there is none.
  [[nodiscard]] std::uint64_t paper_steps() const;
  // For the full matrix, with a sketch too.
  [[nodiscard]] double theorem_4_2() const;

  PlanRequest request_;
  const privacy::MechanismPlan& plan_;
  const ConstraintSet& set_;
  fit::PlanReport report_;
  fit::SketchPlan sketches_;
};

}  // namespace rivulet::cli
