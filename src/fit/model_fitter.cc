#include "fit/model_fitter.h"

#include <utility>

#include "fit/excess_risk.h"
#include "rivulet/error.h"
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
                                       std::to_string(statistics.cross.size()) + " cross moments; the schema has " +
                                       std::to_string(dimension) + " coordinates");
}

std::shared_ptr<const ConstraintSet> unit_ball_constraint(const Schema& schema, const std::string& text) {
  schema.validate();
  return parse_constraint(text, schema.dimension())->scaled(schema.norm_limit());
}

ModelFitter::ModelFitter(const Schema& schema, const Options& options)
    : schema_(schema),
      options_(options),
      names_(schema.coordinate_names()),
      scales_(schema.value_scales()),
      set_(unit_ball_constraint(schema, options.constraint)),
      solver_(set_, {.regularise = options.noise_aware_ridge, .ridge = options.ridge}) {}

Model ModelFitter::fit(const Statistics& statistics) {
  require_shape(statistics, schema_.dimension());
  return in_user_units(statistics, solve(statistics));
}

std::vector<double> ModelFitter::solve(const Statistics& statistics) {
  const solve::Quadratic quadratic{statistics.dimension, statistics.gram, statistics.cross};
  if (!options_.noisy_proj_grad) {
    const std::span<const double> theta = solver_.solve(quadratic, statistics.noise);
    return {theta.begin(), theta.end()};
  }
  const NoisyProjGradSettings& settings = *options_.noisy_proj_grad;
  const double diameter = set_->diameter();
  const double alpha =
      gradient_accuracy(settings.largest_noise, static_cast<double>(statistics.dimension), diameter, settings.beta);
  const auto parameters = solve::NoisyProjGradParameters::from_corollary(
      diameter, alpha, loss_lipschitz(settings.horizon_rows, diameter), kMostIterations);
  return solve::noisy_proj_grad(
      *set_, [&](std::span<const double> theta, std::span<double> gradient) { quadratic.gradient(theta, gradient); },
      parameters);
}

Model ModelFitter::in_user_units(const Statistics& statistics, std::vector<double> theta) const {
  Model model;
  model.step = statistics.step;
  model.rows = statistics.rows;
  model.noise = statistics.noise;
  model.not_private = statistics.not_private;
  const Schema::Scale target = schema_.target_scale();
  const double norm_limit = schema_.norm_limit();
  const std::size_t first = schema_.has_intercept() ? 1 : 0;
  model.coefficients.reserve(scales_.size());
  double constant = first == 1 ? target.centre + target.half_range * theta[0] / norm_limit : 0.0;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const double slope = target.half_range * theta[first + i] / (norm_limit * scales_[i].half_range);
    model.coefficients.push_back({names_[first + i], slope});
    constant -= slope * scales_[i].centre;
  }
  model.intercept = constant;
  model.theta = std::move(theta);
  return model;
}

}  // namespace rivulet::fit
