#include "excess_risk.h"

#include <bit>
#include <cmath>

#include "fit/excess_risk.h"
#include "fit/mechanism.h"
#include "not_private/exact_least_squares.h"
#include "privacy/mechanism_plan.h"
#include "solve/default_solver.h"
#include "synthetic_stream.h"

namespace rivulet::experiments {
namespace {

// Upper bound on theta^T (M - Q) theta over K for the regularised matrix M: the bias the regulariser may add.
double regulariser_bias(const Statistics& statistics, const ConstraintSet& set) {
  if (set.prefers_width()) return 0.0;
  solve::Regulariser regulariser(statistics.dimension, set.diameter());
  const solve::Quadratic plain{statistics.dimension, statistics.gram, statistics.cross};
  const solve::Quadratic regularised = regulariser.apply(plain, statistics.noise);
  double frobenius = 0.0;
  for (std::size_t i = 0; i < statistics.gram.size(); ++i)
    frobenius += std::pow(regularised.gram[i] - statistics.gram[i], 2);
  return std::sqrt(frobenius) * set.diameter() * set.diameter();
}

RiskAtStep read_risk(PrivIncReg1& regression, not_private::ExactLeastSquares& exact, const ConstraintSet& set,
                     double beta) {
  const Model model = regression.model();
  const std::vector<double> zero(model.theta.size(), 0.0);
  RiskAtStep result;
  result.step = model.step;
  result.excess = exact.excess_risk(model.theta);
  result.trivial = exact.excess_risk(zero);
  const bool paper = regression.options().profile == Profile::paper;
  if (paper != (regression.options().solver == Solver::noisy_proj_grad)) return result;
  if (paper) {
    const auto& plan = regression.plan().moments();
    result.bound = fit::noisy_proj_grad_bound(plan.noise_for(plan.strategy().max_decoder_norm()), set, beta);
  } else {
    result.bound = fit::fast_solver_bound(model.noise, set, 0.0, beta) + regulariser_bias(regression.statistics(), set);
  }
  return result;
}

}  // namespace

std::vector<RiskAtStep> measure_isotropic(Profile profile, std::size_t dimension, std::uint64_t steps,
                                          const Budget& budget, double beta, std::uint64_t seed, Solver solver) {
  StreamOptions options;
  options.budget = budget;
  options.schema = Schema::unit_ball(dimension);
  options.profile = profile;
  options.horizon = Horizon::known(steps);
  options.constraint = "l2:1";
  options.solver = solver;
  options.insecure_seed = seed;
  PrivIncReg1 regression(options);
  not_private::ExactLeastSquares exact(options.schema, options.constraint);
  const auto set = fit::unit_ball_constraint(options.schema, options.constraint);
  IsotropicStream stream(dimension, 0.8, 0.1, seed);
  std::vector<RiskAtStep> result;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const SyntheticRow& row = stream.next();
    exact.observe(row.x, row.y);
    regression.observe(row.x, row.y);
    if ((std::has_single_bit(step) && step >= 1024) || step == steps) {
      result.push_back(read_risk(regression, exact, *set, beta));
    }
  }
  return result;
}

RiskAtStep measure_sparse(const std::string& constraint, std::size_t dimension, std::uint64_t rows,
                          std::uint64_t release_every, const Budget& budget, double beta, std::uint64_t seed) {
  StreamOptions options;
  options.budget = budget;
  options.schema = Schema::unit_ball(dimension);
  options.horizon = Horizon::known(rows / release_every);
  options.release_every = release_every;
  options.constraint = constraint;
  options.insecure_seed = seed;
  PrivIncReg1 regression(options);
  not_private::ExactLeastSquares exact(options.schema, constraint);
  const auto set = fit::unit_ball_constraint(options.schema, constraint);
  SparseStream stream(dimension, 10, 3.0, 0.05, seed);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const SyntheticRow& row = stream.next();
    exact.observe(row.x, row.y);
    regression.observe(row.x, row.y);
  }
  return read_risk(regression, exact, *set, beta);
}

}  // namespace rivulet::experiments
