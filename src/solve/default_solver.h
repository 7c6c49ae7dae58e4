// The solver behind every published model: theta_t = argmin over K of theta^T Q theta - 2 q^T theta, regularised
// according to the public noise level, by the closed form where K is an L2 ball and by accelerated descent elsewhere.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rivulet/constraint.h"
#include "rivulet/model.h"
#include "solve/accelerated.h"
#include "solve/quadratic.h"
#include "solve/regulariser.h"
#include "solve/trust_region.h"

namespace rivulet::solve {

struct DefaultSolverOptions {
  // Shrink the directions the privacy noise drowns (regulariser.h). Sets whose own geometry controls the noise
  // (ConstraintSet::prefers_width) are never regularised so.
  bool regularise = true;
  // Added to every diagonal entry of Q, whatever the set and after the rule above.
  double ridge = 0.0;
};

// A pure function of its arguments and settings: the same statistics give the same bits, whatever was solved before and
// in which object, so that a model can be made again from a record of its statistics. Keeps memory, no solution. One
// object serves one thread at a time.
class DefaultSolver {
 public:
  using Options = DefaultSolverOptions;
  // Throws RequestError unless the ridge is finite and 0 or more.
  explicit DefaultSolver(std::shared_ptr<const ConstraintSet> set, Options options = {});

  // The result lies in K (contains() with tolerance 0), whatever the magnitudes, and stays valid until the next call.
  // Throws Error when an entry of the quadratic or of the noise level is not finite, a noise level negative, or a size
  // wrong.
  std::span<const double> solve(const Quadratic& quadratic, const NoiseLevel& noise);

 private:
  std::span<const double> solve(const Quadratic& quadratic, const NoiseLevel& noise, double ridge);
  // In units of 2^diameter_exponent and powers of two near the data's, for magnitudes whose squares would leave the
  // range.
  void solve_rescaled(const Quadratic& quadratic, const NoiseLevel& noise, double ridge, double largest_gram,
                      double largest_cross);

  std::shared_ptr<const ConstraintSet> set_;
  Options options_;
  std::optional<Regulariser> regulariser_;
  std::optional<TrustRegion> trust_region_;
  std::optional<AcceleratedSolver> accelerated_;
  std::vector<double> theta_;
  std::unique_ptr<DefaultSolver> rescaled_;  // made on first need
};

}  // namespace rivulet::solve
