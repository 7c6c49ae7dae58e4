
#include "fit/model_fitter.h"

#include <cmath>
#include <utility>

#include "base/number_text.h"
#include "fit/excess_risk.h"
#include "rivulet/error.h"
#include "sketch/cross_talk.h"
#include "solve/noisy_proj_grad.h"
#include "solve/quadratic.h"

namespace rivulet::fit {

UserUnits::UserUnits(const Schema& schema, bool sparse) : schema_(schema), sparse_(sparse) {
  if (sparse) return;
  names_ = schema.coordinate_names();
  scales_ = schema.value_scales();
}

Model UserUnits::model(const Statistics& statistics, std::vector<double> theta) const {
  Model model;
  model.step = statistics.step;
  model.rows = statistics.rows;
  model.noise = statistics.noise;
  model.not_private = statistics.not_private;
  model.width = schema_.row_width();
  // With two classes a prediction is a score, in units of its own.
  const Schema::Scale target = schema_.has_classes() ? Schema::Scale{} : schema_.target_scale();
  const double norm_limit = schema_.norm_limit();
  const std::size_t first = schema_.has_intercept() ? 1 : 0;
  if (!sparse_) model.coefficients.reserve(scales_.size());
  double constant = first == 1 ? target.centre + target.half_range * theta[0] / norm_limit : 0.0;
  for (std::size_t i = 0; i < model.width; ++i) {
    if (sparse_ && theta[first + i] == 0.0) continue;
    const Schema::Scale scale = sparse_ ? schema_.value_scale(i) : scales_[i];
    const double slope = target.half_range * theta[first + i] / (norm_limit * scale.half_range);
    model.coefficients.push_back({sparse_ ? schema_.value_name(i) : names_[first + i], slope, i});
    constant -= slope * scale.centre;
  }
  model.intercept = constant;
  model.theta = std::move(theta);
  return model;
}

namespace {

// log(1 + e^-m) + m / 2 - log 2, even in m; by log(cosh(m / 2)), which keeps its digits near 0.
double even_part(double m) {
  const double half = std::abs(m) / 2.0;
  const double s = std::sinh(half / 2.0);
  return half < 20.0 ? std::log1p(2.0 * s * s) : half - std::log(2.0);
}

}  // namespace

double surrogate_curvature(double margin) {
  constexpr double kLargest = 100.0;
  if (!(margin >= 0.0 && margin <= kLargest)) {
    throw RequestError("margin", shown(margin) + " given; accepted: 0 to 100, e.g. 4 for log-odds between -4 and 4");
  }
  constexpr double kTaylor = 0.125;
  if (margin < 1e-3) return kTaylor;
  // The regression of e on 1 and m^2, by the midpoint rule in units of the margin.
  constexpr int kPoints = 4096;
  double moments[5] = {};
  for (int i = 0; i < kPoints; ++i) {
    const double u = (i + 0.5) / kPoints;
    const double square = u * u;
    const double e = even_part(margin * u);
    const double terms[5] = {1.0, square, square * square, e, e * square};
    for (int k = 0; k < 5; ++k) moments[k] += terms[k];
  }
  const double slope =
      (moments[0] * moments[4] - moments[1] * moments[3]) / (moments[0] * moments[2] - moments[1] * moments[1]);
  return slope / (margin * margin);
}

void read_statistics(const privacy::MechanismPlan& plan, const strategy::Decoder& decoder, std::uint64_t rows,
                     Statistics& out) {
  if (decoder.step() == 0) throw Error("nothing has been released yet: the first model is out after the first step");
  const privacy::ReleaseLayout& layout = plan.layout();
  const std::size_t dimension = layout.dimension;
  const double unit = plan.lattice_unit();
  const double target_scale = plan.limits().target_scale();
  const double decoder_norm = decoder.norm();

  out.step = decoder.step();
  out.rows = rows;
  out.dimension = dimension;
  out.gram.resize(dimension * dimension);
  out.cross.resize(dimension);
  std::size_t above = layout.offdiagonal_begin();
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i < column; ++i) {
      const double value = decoder.prefix(above++) * unit;
      out.gram[column * dimension + i] = value;
      out.gram[i * dimension + column] = value;
    }
    out.gram[column * dimension + column] = decoder.prefix(layout.diagonal_begin() + column) * unit;
    out.cross[column] = decoder.prefix(layout.cross_begin() + column) * (unit / target_scale);
  }
  out.has_target_square = layout.has_target_square;
  if (layout.has_target_square) {
    const double target_unit = unit / (target_scale * target_scale);
    out.target_square = decoder.prefix(layout.target_square()) * target_unit;
    out.target_square_stddev = plan.sigmas().target_square * decoder_norm * target_unit;
  }
  out.noise = plan.noise_for(decoder_norm);
}

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
