#include "solve/default_solver.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/number_text.h"
#include "rivulet/error.h"

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

namespace {

// Outside of this range the squares and fourth powers taken on the way might not be.
constexpr double kLargestComfortable = 1e60;
constexpr double kSmallestComfortable = 1e-60;

bool comfortable(double magnitude) {
  return magnitude <= kLargestComfortable && magnitude >= kSmallestComfortable;
}

// Largest absolute entry; throws when one is not finite. Four maxima at once, and one test for all: x - x is 0 for
// finite x and NaN for the others.
double largest_finite(std::span<const double> entries, const char* what) {
  double largest[4] = {};
  double poison[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= entries.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double entry = entries[i + lane];
      const double magnitude = std::abs(entry);
      poison[lane] += entry - entry;
      largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
    }
  }
  for (; i < entries.size(); ++i) {
    poison[0] += entries[i] - entries[i];
    largest[0] = std::max(largest[0], std::abs(entries[i]));
  }
  if ((poison[0] + poison[1]) + (poison[2] + poison[3]) != 0.0) {
    throw Error(std::string("solve: ") + what + " has an entry that is not finite; accepted: finite entries");
  }
  return std::max({largest[0], largest[1], largest[2], largest[3]});
}

void require_level(double level, const char* what) {
  if (level >= 0.0 && std::isfinite(level)) return;
  throw Error(std::string("solve: the noise level of the ") + what + " is " + std::to_string(level) +
              "; accepted: a finite number, 0 or more");
}

}  // namespace

DefaultSolver::DefaultSolver(std::shared_ptr<const ConstraintSet> set, Options options)
    : set_(std::move(set)), options_(options), theta_(set_->dimension(), 0.0) {
  if (!(options.ridge >= 0.0) || !std::isfinite(options.ridge)) {
    throw RequestError("ridge", shown(options.ridge) + " given; accepted: a finite number, 0 or more");
  }
  const std::size_t d = set_->dimension();
  if (options.regularise && !set_->prefers_width()) regulariser_.emplace(d, set_->diameter());
  if (set_->euclidean_radius()) {
    trust_region_.emplace(d);
  } else {
    accelerated_.emplace(set_);
  }
}

std::span<const double> DefaultSolver::solve(const Quadratic& quadratic, const NoiseLevel& noise) {
  return solve(quadratic, noise, options_.ridge);
}

std::span<const double> DefaultSolver::solve(const Quadratic& quadratic, const NoiseLevel& noise, double ridge) {
  const std::size_t d = theta_.size();
  if (quadratic.dimension != d || quadratic.gram.size() != d * d || quadratic.cross.size() != d) {
    throw Error("solve: the quadratic has dimension " + std::to_string(quadratic.dimension) + ", the constraint set " +
                std::to_string(d) + "; accepted: the same");
  }
  require_level(noise.gram_diagonal, "gram matrix");
  require_level(noise.cross, "cross moments");
  double largest_gram = largest_finite(quadratic.gram, "the gram matrix");
  double largest_cross = largest_finite(quadratic.cross, "the cross moments");
  if (regulariser_) {
    largest_gram = std::max(largest_gram, noise.gram_diagonal);
    largest_cross = std::max(largest_cross, noise.cross);
  }
  largest_gram = std::max(largest_gram, ridge);
  if (largest_gram == 0.0 && largest_cross == 0.0) {
    std::fill(theta_.begin(), theta_.end(), 0.0);
    set_->project(theta_);  // the simplex does not hold the origin
    return theta_;
  }
  if (!comfortable(std::max(largest_gram, largest_cross)) || !comfortable(set_->diameter())) {
    solve_rescaled(quadratic, noise, ridge, largest_gram, largest_cross);
  } else {
    const Quadratic regularised = regulariser_ ? regulariser_->apply(quadratic, noise) : quadratic;
    const std::span<const double> solution = trust_region_
                                                 ? trust_region_->solve(regularised, ridge, *set_->euclidean_radius())
                                                 : accelerated_->solve(regularised, ridge);
    std::copy(solution.begin(), solution.end(), theta_.begin());
  }
  set_->project(theta_);
  return theta_;
}

void DefaultSolver::solve_rescaled(const Quadratic& quadratic, const NoiseLevel& noise, double ridge,
                                   double largest_gram, double largest_cross) {
  // theta = 2^k u turns the objective into 2^(k+e) (u^T Q' u - 2 q'^T u) with Q' = 2^(k-e) Q and q' = 2^-e q. Powers of
  // two are exact, and e makes the larger of the two of order one.
  const int k = std::ilogb(set_->diameter());
  const int gram_exponent = largest_gram > 0.0 ? std::ilogb(largest_gram) + k : -100000;
  const int cross_exponent = largest_cross > 0.0 ? std::ilogb(largest_cross) : -100000;
  const int e = std::max(gram_exponent, cross_exponent);

  std::vector<double> gram(quadratic.gram.begin(), quadratic.gram.end());
  for (double& entry : gram) entry = std::scalbn(entry, k - e);
  std::vector<double> cross(quadratic.cross.begin(), quadratic.cross.end());
  for (double& entry : cross) entry = std::scalbn(entry, -e);
  NoiseLevel rescaled_noise;
  if (regulariser_) {  // otherwise the level is not used, and not part of e either
    rescaled_noise.gram_diagonal = std::scalbn(noise.gram_diagonal, k - e);
    rescaled_noise.gram_offdiagonal = rescaled_noise.gram_diagonal / std::numbers::sqrt2;
    rescaled_noise.cross = std::scalbn(noise.cross, -e);
  }

  if (!rescaled_) {
    // Two factors, because 2^-k alone may be out of range.
    const std::shared_ptr<const ConstraintSet> halfway = set_->scaled(std::scalbn(1.0, -(k / 2)));
    rescaled_ = std::make_unique<DefaultSolver>(halfway->scaled(std::scalbn(1.0, -(k - k / 2))), options_);
  }
  const auto solution = rescaled_->solve({quadratic.dimension, gram, cross}, rescaled_noise, std::scalbn(ridge, k - e));
  std::transform(solution.begin(), solution.end(), theta_.begin(), [k](double u) { return std::scalbn(u, k); });
}

}  // namespace rivulet::solve
