#include "fit/stream_plan.h"

#include "fit/mechanism.h"
#include "rivulet/error.h"

namespace rivulet::fit {
namespace {

using Plan = std::variant<privacy::MechanismPlan, erm::ErmPlan>;

Plan new_plan(const StreamOptions& options) {
  if (options.erm) return Plan(std::in_place_type<erm::ErmPlan>, erm_options(options));
  return Plan(std::in_place_type<privacy::MechanismPlan>, mechanism_request(options));
}

Plan decided_plan(const StreamOptions& options, const StreamDecisions& decisions) {
  if (const auto* moments = std::get_if<privacy::PlanDecisions>(&decisions); moments != nullptr && !options.erm) {
    return Plan(std::in_place_type<privacy::MechanismPlan>, mechanism_request(options), *moments);
  }
  const auto* erm = std::get_if<erm::ErmDecisions>(&decisions);
  if (erm == nullptr || !options.erm) throw RequestError("mechanism", "what was decided is of another one");
  Plan plan = new_plan(options);
  if (std::get<erm::ErmPlan>(plan).decisions() != *erm) {
    throw RequestError("mechanism", "what was decided is not what this version would decide");
  }
  return plan;
}

}  // namespace

StreamPlan::StreamPlan(const StreamOptions& options) : plan_(new_plan(options)) {}
StreamPlan::StreamPlan(const StreamOptions& options, const StreamDecisions& decisions)
    : plan_(decided_plan(options, decisions)) {}

const privacy::MechanismPlan& StreamPlan::moments() const {
  if (const auto* plan = std::get_if<privacy::MechanismPlan>(&plan_)) return *plan;
  throw Error("PrivIncERM has no private moments");
}

StreamDecisions StreamPlan::decisions() const {
  return erm() != nullptr ? StreamDecisions(erm()->decisions()) : StreamDecisions(moments().decisions());
}

std::uint64_t StreamPlan::last_step() const {
  return erm() != nullptr ? erm()->last_step() : moments().last_step();
}

std::size_t StreamPlan::statistics_dimension() const {
  return erm() != nullptr ? 0 : moments().layout().dimension;
}

bool StreamPlan::has_target_square() const {
  return erm() == nullptr && moments().layout().has_target_square;
}

}  // namespace rivulet::fit
