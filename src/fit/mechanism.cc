#include "fit/mechanism.h"

#include <string_view>

#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet::fit {
namespace {

bool names_a_file(std::string_view constraint) {
  return constraint.starts_with("polytope:") && !constraint.starts_with("polytope:[");
}

}  // namespace

PrivIncReg1::Options with_defaults(PrivIncReg1::Options options) {
  const bool paper = options.profile == Profile::paper;
  if (!options.strategy) options.strategy = paper ? StrategyKind::tree : StrategyKind::blt;
  if (options.tree_decoding) strategy::require_tree(*options.strategy);
  if (!options.tree_decoding && *options.strategy != StrategyKind::blt) {
    options.tree_decoding = paper ? TreeDecoding::paper : TreeDecoding::optimal;
  }
  if (options.solver == PrivIncReg1::Solver::by_profile) {
    options.solver = paper ? PrivIncReg1::Solver::noisy_proj_grad : PrivIncReg1::Solver::fast;
  }
  if (options.solver == PrivIncReg1::Solver::noisy_proj_grad && !options.horizon.is_known()) {
    throw RequestError("horizon",
                       "NoisyProjGrad's number of iterations depends on the stream's length; give a number of "
                       "steps, or use the fast solver");
  }
  if (names_a_file(options.constraint)) {
    options.schema.validate();
    options.constraint = parse_constraint(options.constraint, options.schema.dimension())->name();
  }
  return options;
}

privacy::MechanismRequest mechanism_request(const PrivIncReg1::Options& options) {
  privacy::MechanismRequest request;
  request.budget = options.budget;
  request.neighbours = options.neighbours;
  request.profile = options.profile;
  request.strategy.kind = *options.strategy;
  request.strategy.horizon = options.horizon;
  request.strategy.buffers = options.buffers;
  request.strategy.tree_decoding = options.tree_decoding.value_or(TreeDecoding::optimal);
  request.dimension = options.schema.dimension();
  request.rows_per_step = options.release_every;
  request.units = options.unit.has_value();
  if (options.unit) request.rows_per_unit = options.unit->max_rows;
  request.diameter = unit_ball_constraint(options.schema, options.constraint)->diameter();
  return request;
}

ModelFitter::Options fitter_options(const PrivIncReg1::Options& options, const privacy::MechanismPlan& plan) {
  ModelFitter::Options result;
  result.constraint = options.constraint;
  result.noise_aware_ridge = options.noise_aware_ridge;
  if (options.solver == PrivIncReg1::Solver::noisy_proj_grad) {
    result.noisy_proj_grad = NoisyProjGradSettings{
        .largest_noise = plan.noise_for(plan.strategy().max_decoder_norm()),
        .horizon_rows = static_cast<double>(options.horizon.steps()) * static_cast<double>(options.release_every)};
  }
  return result;
}

}  // namespace rivulet::fit
