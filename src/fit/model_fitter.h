// From private statistics to a model in the user's units. Post-processing: it sees statistics and public options only,
// so the same statistics may be fitted again and again, and give the same bits every time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rivulet/constraint.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "rivulet/statistics.h"
#include "solve/default_solver.h"

namespace rivulet::fit {

// Settings of the paper's NoisyProjGrad that depend on the mechanism.
struct NoisyProjGradSettings {
  NoiseLevel largest_noise;   // over the horizon
  double horizon_rows = 0.0;  // T of the Lipschitz constant
  double beta = 0.05;         // confidence of the gradient accuracy
};

class ModelFitter {
 public:
  struct Options {
    std::string constraint = "l2:2";  // in box units
    // Regularisation of the fast solver; none when both are off.
    bool noise_aware_ridge = true;  // by the known noise (solve/regulariser.h)
    double ridge = 0.0;             // added to every diagonal entry of the Gram matrix, in unit-ball units
    std::optional<NoisyProjGradSettings> noisy_proj_grad;  // present: the paper's solver
  };

  // Throws RequestError on a bad constraint or ridge.
  ModelFitter(const Schema& schema, const Options& options);

  // Throws RequestError on statistics of another shape.
  [[nodiscard]] Model fit(const Statistics& statistics);
  // The model of a solution in unit-ball units, one entry per schema coordinate.
  [[nodiscard]] Model in_user_units(const Statistics& statistics, std::vector<double> theta) const;
  // The constraint set in unit-ball units: the paper's C.
  [[nodiscard]] const ConstraintSet& constraint() const { return *set_; }

 private:
  [[nodiscard]] std::vector<double> solve(const Statistics& statistics);

  Schema schema_;
  Options options_;
  std::vector<std::string> names_;
  std::vector<Schema::Scale> scales_;
  std::shared_ptr<const ConstraintSet> set_;
  solve::DefaultSolver solver_;
};

// Throws RequestError unless these are statistics of that many coordinates.
void require_shape(const Statistics& statistics, std::size_t dimension);

// The constraint in unit-ball units for a schema: theta = norm_limit * (coefficients in box units).
std::shared_ptr<const ConstraintSet> unit_ball_constraint(const Schema& schema, const std::string& text);

}  // namespace rivulet::fit
