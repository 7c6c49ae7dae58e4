// The mechanism behind a stream, whichever it is: private moments (PrivIncReg1, PrivIncReg2) or PrivIncERM. Public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "erm/erm_plan.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/stream_options.h"

namespace rivulet::fit {

// What was decided when a model was made, as its file keeps it.
using StreamDecisions = std::variant<privacy::PlanDecisions, erm::ErmDecisions>;

class StreamPlan {
 public:
  // Of options that went through with_defaults(). Throws RequestError when the request cannot be honoured.
  explicit StreamPlan(const StreamOptions& options);
  // As it was decided before. Nothing is taken on trust: throws RequestError when the decisions do not keep the
  // promise.
  StreamPlan(const StreamOptions& options, const StreamDecisions& decisions);

  // Null unless it is PrivIncERM.
  [[nodiscard]] const erm::ErmPlan* erm() const { return std::get_if<erm::ErmPlan>(&plan_); }
  // Throws Error when it is PrivIncERM.
  [[nodiscard]] const privacy::MechanismPlan& moments() const;

  [[nodiscard]] StreamDecisions decisions() const;
  [[nodiscard]] std::uint64_t last_step() const;
  // Of the statistics in a release: 0 for PrivIncERM, which has none.
  [[nodiscard]] std::size_t statistics_dimension() const;
  [[nodiscard]] bool has_target_square() const;

 private:
  std::variant<privacy::MechanismPlan, erm::ErmPlan> plan_;
};

}  // namespace rivulet::fit
