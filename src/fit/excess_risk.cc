
#include "fit/excess_risk.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/paper_profile.h"

namespace rivulet::fit {

namespace {

double deviation(double beta) {
  return beta < 1.0 ? std::sqrt(2.0 * std::log(4.0 / beta)) : 0.0;
}

}  // namespace

double gradient_accuracy(const NoiseLevel& noise, double dimension, double diameter, double beta) {
  const double t = deviation(beta);
  const double gram = noise.gram_diagonal * (std::sqrt(2.0 * dimension) + t);
  const double cross = noise.cross * (std::sqrt(dimension) + t);
  return 2.0 * (diameter * gram + cross);
}

double fast_solver_bound(const NoiseLevel& noise, const ConstraintSet& set, double ridge, double beta) {
  return fast_solver_bound(noise, set.diameter(), set.gaussian_width(), ridge, beta);
}

double fast_solver_bound(const NoiseLevel& noise, double diameter, double width, double ridge, double beta) {
  const double t = deviation(beta);
  const double gram = noise.gram_diagonal * diameter * (std::numbers::sqrt2 * width + diameter * t);
  const double cross = noise.cross * (width + diameter * t);
  return 2.0 * (gram + 2.0 * cross) + ridge * diameter * diameter;
}

double noisy_proj_grad_bound(const NoiseLevel& noise, const ConstraintSet& set, double beta) {
  return noisy_proj_grad_bound(noise, static_cast<double>(set.dimension()), set.diameter(), beta);
}

double noisy_proj_grad_bound(const NoiseLevel& noise, double dimension, double diameter, double beta) {
  return 3.0 * gradient_accuracy(noise, dimension, diameter, beta) * diameter;
}

double loss_lipschitz(double rows, double diameter) {
  return 2.0 * rows * (diameter + 1.0);
}

PlanReport::PlanReport(const privacy::MechanismPlan& plan, const ConstraintSet& set, double beta, bool sketched)
    : plan_(plan), set_(set), beta_(beta), sketched_(sketched) {}

double PlanReport::noise_share(std::uint64_t step) const {
  const double dimension = static_cast<double>(plan_.request().dimension);
  const double rows = static_cast<double>(step) * static_cast<double>(plan_.request().rows_per_step);
  return std::sqrt(2.0 * dimension) * plan_.noise_at(step).gram_diagonal / (rows / dimension);
}

PlanAtStep PlanReport::at(std::uint64_t step) const {
  PlanAtStep result;
  result.step = step;
  result.decoder_norm = plan_.strategy().decoder_norm(step);
  result.noise = plan_.noise_for(result.decoder_norm);
  result.noise_share = noise_share(step);
  // Ignoring the data costs at most (1 + ||K||)^2 a row.
  const double rows = static_cast<double>(step) * static_cast<double>(plan_.request().rows_per_step);
  const double trivial = rows * std::pow(1.0 + set_.diameter(), 2);
  const bool paper = plan_.request().profile == Profile::paper;
  // Of the set that is solved over: with a sketch its image (see sketch_plan.h).
  const double m = static_cast<double>(plan_.request().dimension);
  const double diameter = set_.diameter() + (sketched_ ? set_.gaussian_width() / std::sqrt(m) : 0.0);
  const double distortion = sketched_ ? rows * set_.diameter() * set_.diameter() / m : 0.0;
  const auto bound = [&](double beta) {
    return distortion + (paper ? noisy_proj_grad_bound(plan_.noise_for(largest_decoder_norm()), m, diameter, beta)
                               : fast_solver_bound(result.noise, diameter, set_.gaussian_width(), 0.0, beta));
  };
  result.predicted_excess_risk = std::min(bound(1.0), trivial);
  result.excess_risk_bound = std::min(bound(beta_), trivial);
  return result;
}

double PlanReport::theorem_4_2(std::uint64_t step) const {
  const std::uint64_t steps = plan_.strategy().horizon().is_known() ? plan_.strategy().horizon().steps() : step;
  return privacy::theorem_4_2_bound(plan_.request().budget, std::max<std::uint64_t>(steps, 2),
                                    static_cast<double>(plan_.request().dimension), set_.diameter(), beta_);
}

std::optional<std::uint64_t> PlanReport::steps_until_share(double share) const {
  // The noise grows like a logarithm and the signal like the step, so the share falls; trees wiggle by a bounded
  // factor, and the answer is then the first step found from below.
  std::uint64_t low = 0;
  std::uint64_t high = 1;
  while (noise_share(std::min(high, plan_.last_step())) > share) {
    if (high >= plan_.last_step()) return std::nullopt;
    low = high;
    high = std::min(2 * high, plan_.last_step());
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (noise_share(middle) > share ? low : high) = middle;
  }
  return high;
}

}  // namespace rivulet::fit
