// Constraint sets K: bounded closed convex sets over which the model is fitted (the paper's C). The origin lies in all
// of them but the simplex. Everything here is geometry: it knows nothing of rows and may be used freely behind the
// wall. docs/constraints.md says which set is for what.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rivulet {

// Sets are immutable: every member may be called from several threads at once. Points passed in have dimension() finite
// entries; project() throws Error for a point that is not finite, the other members then answer with NaN or false.
class ConstraintSet {
 public:
  virtual ~ConstraintSet() = default;

  // Dimension of the ambient space.
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  // A text that parse_constraint() reads back as the same set, needing nothing else, e.g. "l2:1.5".
  [[nodiscard]] virtual std::string name() const = 0;

  // Euclidean projection, in place. The result satisfies contains() exactly (tolerance 0), for points of any magnitude;
  // a point that already does is left untouched.
  virtual void project(std::span<double> point) const = 0;
  // Writes a minimiser of <direction, v> over v in K.
  virtual void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const = 0;
  // Minkowski functional: the smallest r >= 0 with point in r*K; +infinity when there is none.
  [[nodiscard]] virtual double gauge(std::span<const double> point) const = 0;
  // Where the origin is in K: gauge(point) <= 1 + tolerance. On the simplex, whose multiples do not contain one
  // another: |gauge(point) - 1| <= tolerance + 4 units of rounding (2^-52 each), because a sum of rounded numbers is
  // seldom exact; a point of the real simplex, rounded entry by entry, always passes.
  [[nodiscard]] virtual bool contains(std::span<const double> point, double tolerance = 0.0) const = 0;
  // sup of the Euclidean norm over K: the paper's ||C||.
  [[nodiscard]] virtual double diameter() const = 0;
  // Gaussian width w(K) = E sup_{v in K} <v, g>, g standard normal. Each set below says how exactly.
  [[nodiscard]] virtual double gaussian_width() const = 0;
  // The set {factor * v : v in K}. Throws RequestError unless factor is positive and the result representable.
  [[nodiscard]] virtual std::unique_ptr<ConstraintSet> scaled(double factor) const = 0;
  // True when K's own geometry already controls noise in high dimension (Gaussian width far below sqrt(d)), so that a
  // ridge of order sqrt(d) would do harm.
  [[nodiscard]] virtual bool prefers_width() const = 0;
  // The radius when K is a Euclidean ball around the origin, so that a solver may use the closed form for balls.
  [[nodiscard]] virtual std::optional<double> euclidean_radius() const { return std::nullopt; }

 protected:
  ConstraintSet() = default;
  ConstraintSet(const ConstraintSet&) = default;
  ConstraintSet& operator=(const ConstraintSet&) = default;
};

// All of these throw RequestError unless dimension >= 1 and every radius is positive and finite.

// {v : ||v||_2 <= radius}. Width: relative error below 1e-12.
std::unique_ptr<ConstraintSet> make_l2_ball(std::size_t dimension, double radius);
// {v : ||v||_1 <= radius}. Width: relative error below 1e-9.
std::unique_ptr<ConstraintSet> make_l1_ball(std::size_t dimension, double radius);
// {v : ||v||_p <= radius}, 1 < p < 2. Width: relative error below 1e-9.
std::unique_ptr<ConstraintSet> make_lp_ball(std::size_t dimension, double p, double radius);
// {v : v >= 0, sum of v = total}. The origin is not in it. Width: error below 1e-9 of the total.
std::unique_ptr<ConstraintSet> make_simplex(std::size_t dimension, double total);
// {v : sum over groups of ||v_group||_2 <= radius}; the groups are consecutive coordinates, as many as `sizes` says,
// all 1 or more. Width: relative error below 1e-9.
std::unique_ptr<ConstraintSet> make_group_ball(std::span<const std::size_t> sizes, double radius);
// {v : low <= v_i <= high}, low <= 0 <= high finite and not both 0, such that the diameter is finite. Width: exact.
std::unique_ptr<ConstraintSet> make_box(std::size_t dimension, double low, double high);
// The elastic net {v : l1_share ||v||_1 / radius + (1 - l1_share) ||v||_2^2 / radius^2 <= 1}, 0 < l1_share < 1: from
// the L2 ball of that radius (share near 0) to the L1 ball (share near 1), with corners where coordinates vanish and
// round in between. Width: an upper bound, at most 2% above the truth.
std::unique_ptr<ConstraintSet> make_elastic_ball(std::size_t dimension, double l1_share, double radius);
// The convex hull of the rows of `vertices` (dimension numbers each, finite, one million in all at most), which must
// hold the origin and more. Membership is decided up to 1e-12 of the diameter. Width: estimated standard error 0.1%,
// more for huge polytopes (docs/constraints.md).
std::unique_ptr<ConstraintSet> make_polytope(std::size_t dimension, std::span<const double> vertices);

// Reads, with positive finite decimal numbers R,
//   l2:R  l1:R           the balls above                      lp:P:R      1 < P < 2
//   simplex, simplex:R   total R, 1 unless given              box:LO:HI   LO <= 0 <= HI
//   group:K:R            groups of K coordinates, the last may be shorter
//   group:3,2,4:R        groups of these sizes, which must add up to the dimension
//   elastic:A:R          L1 share A, 0 < A < 1
//   polytope:FILE        vertices from a file, one a line, numbers separated by commas or blanks, '#' begins a comment
//   polytope:[[1,0],[0,1],[-1,-1]]   the same in place
// Throws RequestError naming `field`, the text and what would be accepted. Only polytope:FILE reads a file.
std::unique_ptr<ConstraintSet> parse_constraint(std::string_view text, std::size_t dimension,
                                                std::string_view field = "constraint");

}  // namespace rivulet
