#include "fit/model_fitter.h"

#include <utility>

#include "fit/excess_risk.h"
#include "rivulet/error.h"
#include "sketch/cross_talk.h"
#include "solve/noisy_proj_grad.h"
#include "solve/quadratic.h"

namespace rivulet::fit {
namespace {

// r grows as (T / noise)^2; this many iterations take seconds, and only streams with next to no noise ask for more.
constexpr std::uint64_t kMostIterations = 20'000'000;

}  // namespace

void require_shape(const Statistics& statistics, std::size_t dimension) {
  if (statistics.dimension == dimension && statistics.gram.size() == dimension * dimension &&
      statistics.cross.size() == dimension) {
    return;
  }
  throw RequestError("statistics", "they have " + std::to_string(statistics.dimension) + " coordinates, " +
                                       std::to_string(statistics.gram.size()) + " Gram entries and " +
                                       std::to_string(statistics.cross.size()) + " cross moments; the mechanism has " +
                                       std::to_string(dimension) + " coordinates");
}

std::shared_ptr<const ConstraintSet> unit_ball_constraint(const Schema& schema, const std::string& text) {
  schema.validate();
  return parse_constraint(text, schema.dimension())->scaled(schema.norm_limit());
}

ModelFitter::ModelFitter(const Schema& schema, const Options& options)
    : options_(options),
      dimension_(options.sketch ? options.sketch->rows() : schema.dimension()),
      units_(schema, options.sketch != nullptr),
      set_(unit_ball_constraint(schema, options.constraint)) {
  if (options.sketch) {
    corrects_cross_talk_ = options.noise_aware_ridge && set_->prefers_width();
    projected_solver_.emplace(
        set_, options.sketch,
        sketch::ProjectedSolver::Options{.regularise = options.noise_aware_ridge, .ridge = options.ridge});
  } else {
    solver_.emplace(set_,
                    solve::DefaultSolver::Options{.regularise = options.noise_aware_ridge, .ridge = options.ridge});
  }
}

Model ModelFitter::fit(const Statistics& statistics, std::span<const double> start) {
  require_shape(statistics, dimension_);
  const Statistics& fitted = options_.surrogate_curvature ? rescaled(statistics) : statistics;
  return units_.model(statistics, projected_solver_ ? solve_and_lift(fitted, start) : solve(fitted));
}

const Statistics& ModelFitter::rescaled(const Statistics& statistics) {
  const double factor = 1.0 / (4.0 * *options_.surrogate_curvature);
  rescaled_ = statistics;
  for (double& entry : rescaled_.cross) entry *= factor;
  rescaled_.noise.cross *= factor;
  return rescaled_;
}

std::vector<double> ModelFitter::solve(const Statistics& statistics) {
  if (options_.noisy_proj_grad) return noisy_proj_grad(statistics, *set_);
  const solve::Quadratic quadratic{statistics.dimension, statistics.gram, statistics.cross};
  const std::span<const double> theta = solver_->solve(quadratic, statistics.noise);
  return {theta.begin(), theta.end()};
}

// The last two lines of Algorithm PrivIncReg2: vartheta over Phi C, then theta = argmin ||theta||_C with Phi theta =
// vartheta.
std::vector<double> ModelFitter::solve_and_lift(const Statistics& statistics, std::span<const double> start) {
  std::vector<double> theta;
  std::vector<double> image(dimension_);
  if (options_.noisy_proj_grad) {
    image = noisy_proj_grad(statistics, *sketch::make_projected_set(set_, options_.sketch));
  } else {
    const std::vector<double> gram = corrects_cross_talk_ ? sketch::with_less_cross_talk(statistics) : statistics.gram;
    const solve::Quadratic quadratic{statistics.dimension, gram, statistics.cross};
    const std::span<const double> found = projected_solver_->minimise(quadratic, statistics.noise, start);
    theta.assign(found.begin(), found.end());
    options_.sketch->apply(theta, image);
  }
  const std::span<const double> lifted = projected_solver_->lift(image, theta);
  return {lifted.begin(), lifted.end()};
}

std::vector<double> ModelFitter::noisy_proj_grad(const Statistics& statistics, const ConstraintSet& set) const {
  const solve::Quadratic quadratic{statistics.dimension, statistics.gram, statistics.cross};
  const NoisyProjGradSettings& settings = *options_.noisy_proj_grad;
  const double diameter = set.diameter();
  const double alpha =
      gradient_accuracy(settings.largest_noise, static_cast<double>(statistics.dimension), diameter, settings.beta);
  const auto parameters = solve::NoisyProjGradParameters::from_corollary(
      diameter, alpha, loss_lipschitz(settings.horizon_rows, diameter), kMostIterations);
  return solve::noisy_proj_grad(
      set, [&](std::span<const double> theta, std::span<double> gradient) { quadratic.gradient(theta, gradient); },
      parameters);
}

}  // namespace rivulet::fit
