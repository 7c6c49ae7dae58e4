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
  // (ConstraintSet::prefers_width) are never regularised.
  bool regularise = true;
};

// Deterministic: the same sequence of calls gives the same bits. Keeps memory and the last solution as a warm start,
// which moves the result only within the solvers' tolerance (for an indefinite Q over a set other than a ball, it may
// also lead to a better stationary point). One object serves one thread at a time.
class DefaultSolver {
 public:
  using Options = DefaultSolverOptions;
  explicit DefaultSolver(std::shared_ptr<const ConstraintSet> set, Options options = {});

  // The result lies in K (contains() with tolerance 0), whatever the magnitudes, and stays valid until the next call.
  // Throws Error when an entry of the quadratic or of the noise level is not finite, a noise level negative, or a size
  // wrong.
  std::span<const double> solve(const Quadratic& quadratic, const NoiseLevel& noise);

  [[nodiscard]] const ConstraintSet& constraint() const { return *set_; }

 private:
  // In units of 2^diameter_exponent and powers of two near the data's, for magnitudes whose squares would leave the
  // range.
  void solve_rescaled(const Quadratic& quadratic, const NoiseLevel& noise, double largest_gram, double largest_cross);

  std::shared_ptr<const ConstraintSet> set_;
  Options options_;
  std::optional<Regulariser> regulariser_;
  std::optional<TrustRegion> trust_region_;
  std::optional<AcceleratedSolver> accelerated_;
  std::vector<double> theta_;
  std::unique_ptr<DefaultSolver> rescaled_;  // made on first need
};

}  // namespace rivulet::solve
