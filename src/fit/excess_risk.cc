#include "fit/excess_risk.h"

#include <cmath>
#include <numbers>

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

}  // namespace rivulet::fit
