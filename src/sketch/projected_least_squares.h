// The point of gamma K whose image is nearest to a target:  min 1/2 ||A theta - b||^2 over theta in gamma K,  A an
// m x d map with m << d. PrivIncReg2 minimises and lifts by it.
//
// Proximal point steps, each solved in its m dual variables u by a semismooth Newton method (Li, Sun and Toh, SIAM J.
// Optimization 28, 2018):
//     theta = P(c + sigma A^T u),   u = b - A theta,   P the projection onto gamma K, c the point before.
// The Newton matrix I + sigma A J A^T sees only the columns along which P moves. A handful of passes over the d
// columns a step and quadratic convergence in the end: digits that first-order methods do not reach.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/constraint.h"
#include "solve/cholesky.h"

namespace rivulet::sketch {

struct LeastSquaresEnd {
  // Primal minus dual value: 1/2 ||A theta - b||^2 is at most this much above its minimum.
  double gap = 0.0;
  // <b, u> / h_K(A^T u) for the dual point: no theta with image b has a smaller gauge, where K holds the origin.
  double gauge_bound = 0.0;
  double residual = 0.0;  // ||b - A theta||
  double support = 0.0;   // h_K(A^T u)
  std::size_t steps = 0;
};

// Expects numbers of ordinary size: the set's diameter, the columns' and the target's norms near 1. Keeps its memory
// and nothing else.
class ProjectedLeastSquares {
 public:
  // `set` must be a geometry::Faces too. Both stay the caller's.
  ProjectedLeastSquares(const ConstraintSet& set, const LinearMap& map);

  // The map becomes L^T A for a lower triangular L, m x m row by row (the caller's); empty: A itself again.
  void set_factor(std::span<const double> factor);

  // From theta in gamma K, and leaves the result, in gamma K up to rounding, there. Ends when the gap is at most
  // gap_fraction * residual^2 + gap_floor or rounding has the last word.
  LeastSquaresEnd run(std::span<const double> target, double gamma, double gap_fraction, double gap_floor,
                      std::span<double> theta);

  // Of the last run: the dual point u the gap was judged by, and h_K(A^T u).
  [[nodiscard]] std::span<const double> dual() const { return dual_; }
  [[nodiscard]] double support() const { return support_; }
  // Of the last run: the coordinates along which the result may move within its face, ascending.
  [[nodiscard]] std::span<const std::size_t> free_coordinates() const { return derivative_.active; }

  // The least change of theta's `coordinates` that makes A theta = target, as far as these can (no factor set); returns
  // the residual left. theta stays as it is where that would not be smaller.
  double fit_on(std::span<const std::size_t> coordinates, std::span<const double> target, std::span<double> theta);

 private:
  struct State {
    std::vector<double> dual;      // u
    std::vector<double> slope;     // A^T u
    std::vector<double> theta;     // P(c + sigma A^T u)
    std::vector<double> image;     // A theta
    std::vector<double> mismatch;  // u - b + A theta: the gradient of the dual objective
    double value = 0.0;            // the dual objective, to be minimised
    double mismatch_norm = 0.0;
  };

  void project(std::span<double> point) const;
  // out = L v, and v becomes L^T v; nothing without a factor.
  std::span<const double> times_factor(std::span<const double> v);
  void times_factor_transposed(std::span<double> v);
  void evaluate(State& state);
  // Newton's method to ||u - b + A theta|| <= tolerance ||u||.
  std::size_t solve_proximal(double tolerance);
  [[nodiscard]] double accepted_mismatch(double tolerance) const;
  // Solves (I + sigma A J A^T) direction = -mismatch: by factoring where many columns move and that is cheap, else by
  // conjugate gradients to this relative tolerance.
  void newton_direction(double tolerance);
  [[nodiscard]] bool newton_by_factoring();
  void newton_by_conjugate_gradients(double tolerance);
  [[nodiscard]] LeastSquaresEnd judge();

  const ConstraintSet* set_;
  const geometry::Faces* faces_;
  const LinearMap* map_;
  std::span<const double> factor_;
  double column_scale_ = 1.0;
  std::vector<double> factored_;
  std::span<const double> target_;
  double gamma_ = 0.0;
  double sigma_ = 0.0;
  State now_, next_;
  std::vector<double> dual_;
  double support_ = 0.0;
  std::vector<double> centre_, point_, vertex_;
  std::vector<double> direction_, remainder_, search_, search_image_;
  std::vector<double> gathered_, moved_;
  geometry::ProjectionDerivative derivative_;
  solve::Cholesky cholesky_;
  std::vector<double> matrix_;
};

// ProjectedLeastSquares for sets with sparse solutions in huge dimensions: on a few hundred coordinates at a time. A
// pass over all columns then tells how far the result may be from that over the whole set, and which coordinates to
// add. Other sets, and small dimensions, are taken whole.
class WorkingLeastSquares {
 public:
  // As ProjectedLeastSquares.
  WorkingLeastSquares(const ConstraintSet& set, const LinearMap& map);

  // Forgets the coordinates that earlier runs found useful, and sets the factor of ProjectedLeastSquares. Without this
  // in between, runs on similar problems are faster, and their results depend on those before.
  void begin(std::span<const double> factor = {});

  // The same as ProjectedLeastSquares, about the whole set.
  LeastSquaresEnd run(std::span<const double> target, double gamma, double gap_fraction, double gap_floor,
                      std::span<double> theta);
  double fit_freely(std::span<const double> target, std::span<double> theta);

 private:
  void add(std::vector<std::size_t> coordinates);
  // face_, columns_ and part_ for coordinates_.
  void rebuild();
  // slope_ = -A^T u; returns h_K(A^T u).
  double support_of(std::span<const double> dual);

  const ConstraintSet* set_;
  const geometry::Faces* faces_;
  const LinearMap* map_;
  bool whole_;
  std::span<const double> factor_;
  std::vector<std::size_t> coordinates_;  // ascending
  std::unique_ptr<ConstraintSet> face_;
  std::unique_ptr<const LinearMap> columns_;  // those of coordinates_, copied
  std::unique_ptr<ProjectedLeastSquares> part_;
  std::vector<double> slope_, vertex_, small_, image_;
};

}  // namespace rivulet::sketch
