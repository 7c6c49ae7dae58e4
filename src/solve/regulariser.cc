#include "solve/regulariser.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet::solve {

Regulariser::Regulariser(std::size_t dimension, double diameter)
    : diameter_(diameter), cholesky_(dimension), gram_(dimension * dimension) {}

double Regulariser::noise_floor(const NoiseLevel& noise) const {
  constexpr double constant = 1.5;
  const double root = std::sqrt(static_cast<double>(cholesky_.dimension()));
  const double gram = noise.gram_diagonal / std::numbers::sqrt2;
  const double cross = noise.cross / diameter_;
  return constant * root * std::sqrt(gram * gram + cross * cross);
}

Quadratic Regulariser::apply(const Quadratic& quadratic, const NoiseLevel& noise) {
  const double kappa = noise_floor(noise);
  if (kappa == 0.0) return quadratic;
  constexpr double past_the_edge = 1.5;
  const std::size_t d = quadratic.dimension;
  double tau = std::max(kappa, past_the_edge * noise.gram_diagonal * std::sqrt(static_cast<double>(d)));
  while (!cholesky_.factor(quadratic.gram, tau)) tau *= 2.0;
  cholesky_.invert(gram_);
  const double weight = 2.0 * kappa * kappa;
  for (std::size_t i = 0; i < gram_.size(); ++i) gram_[i] = quadratic.gram[i] + weight * gram_[i];
  return {d, gram_, quadratic.cross};
}

}  // namespace rivulet::solve
