// From private sums to a model in the units of the user.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/linear_map.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "sketch/projected_solver.h"
#include "solve/default_solver.h"
#include "strategy/strategy.h"

namespace rivulet::fit {

// A solution in unit-ball units, written as a model in the user's units.

class UserUnits {
 public:
  // `sparse`: models list only the coefficients that are not 0, and no memory is kept for the names of all.
  explicit UserUnits(const Schema& schema, bool sparse = false);

  // `theta` has one entry per schema coordinate.
  [[nodiscard]] Model model(const Statistics& statistics, std::vector<double> theta) const;

 private:
  Schema schema_;
  bool sparse_;
  std::vector<std::string> names_;
  std::vector<Schema::Scale> scales_;
};

// Logistic regression from private moments: a parabola in place of the loss.
//
// log(1 + e^-m) = log 2 - m / 2 + e(m), m = y <x, theta>, and e is even. With c m^2 for e the sum over all rows is
//   n log 2 - <q, theta> / 2 + c theta^T Q theta,    Q = sum x x^T, q = sum x y (y^2 = 1),
// which is minimised where theta^T Q theta - 2 <q / (4 c), theta> is: least squares with the targets times 1 / (4 c).
// No row has to be kept, and everything that holds for private least squares (constant memory, refitting, unknown
// horizons) holds for it.
//
// c is that of the best parabola (least squares over |m| <= margin, with a constant term): 1/8 for margins near 0, less
// for larger ones, because e grows like |m| / 2. The minimiser is biased: it is that of another loss. Signs of
// predictions and their order hardly change with c, which scales theta; log-odds do (docs/losses.md has figures).

// Throws RequestError naming "margin" unless 0 <= margin <= 100.
double surrogate_curvature(double margin);

// Decoded lattice sums, read as statistics in natural units.

// Overwrites `out`, reusing its memory. The decoder must have absorbed at least one step; throws Error otherwise.
void read_statistics(const privacy::MechanismPlan& plan, const strategy::Decoder& decoder, std::uint64_t rows,
                     Statistics& out);

// From private statistics to a model in the user's units. Post-processing: it sees statistics and public options only,
// so the same statistics may be fitted again and again, and give the same bits every time. With a sketch the model is
// found in the image of the constraint set and lifted (PrivIncReg2).

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
    bool noise_aware_ridge = true;  // by the known noise (solve/default_solver.h)
    double ridge = 0.0;             // added to every diagonal entry of the Gram matrix, in unit-ball units
    std::optional<NoisyProjGradSettings> noisy_proj_grad{};  // present: the paper's solver
    std::optional<double> surrogate_curvature{};             // present: logistic regression
    std::shared_ptr<const LinearMap> sketch{};               // Phi, when the statistics are those of sketched rows
  };

  // Throws RequestError on a bad constraint or ridge.
  ModelFitter(const Schema& schema, const Options& options);

  // Throws RequestError on statistics of another shape. `start` is where the search in the image begins, the solution
  // of an earlier step or nothing; without a sketch it is not looked at.
  [[nodiscard]] Model fit(const Statistics& statistics, std::span<const double> start = {});
  // The constraint set in unit-ball units: the paper's C.
  [[nodiscard]] const ConstraintSet& constraint() const { return *set_; }

 private:
  // Of the surrogate: least squares with other targets.
  [[nodiscard]] const Statistics& rescaled(const Statistics& statistics);
  [[nodiscard]] std::vector<double> solve(const Statistics& statistics);
  [[nodiscard]] std::vector<double> solve_and_lift(const Statistics& statistics, std::span<const double> start);
  [[nodiscard]] std::vector<double> noisy_proj_grad(const Statistics& statistics, const ConstraintSet& set) const;

  Options options_;
  std::size_t dimension_;  // of the statistics
  UserUnits units_;
  std::shared_ptr<const ConstraintSet> set_;
  std::optional<solve::DefaultSolver> solver_;  // one of the two
  std::optional<sketch::ProjectedSolver> projected_solver_;
  bool corrects_cross_talk_ = false;  // see sketch/cross_talk.h
  Statistics rescaled_;
};

// Throws RequestError unless these are statistics of that many coordinates.
void require_shape(const Statistics& statistics, std::size_t dimension);

// The constraint in unit-ball units for a schema: theta = norm_limit * (coefficients in box units).
std::shared_ptr<const ConstraintSet> unit_ball_constraint(const Schema& schema, const std::string& text);

}  // namespace rivulet::fit
