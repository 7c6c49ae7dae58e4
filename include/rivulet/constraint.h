// Constraint sets K: closed convex sets with the origin inside, over which the model is fitted (the paper's C).
// Everything here is geometry: it knows nothing of rows and may be used freely behind the wall.
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
  // The text parse_constraint() would read back, e.g. "l2:1.5".
  [[nodiscard]] virtual std::string name() const = 0;

  // Euclidean projection, in place. The result satisfies contains() exactly (tolerance 0), for points of any magnitude;
  // a point that already does is left untouched.
  virtual void project(std::span<double> point) const = 0;
  // Writes a minimiser of <direction, v> over v in K.
  virtual void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const = 0;
  // Minkowski functional: the smallest r >= 0 with point in r*K; +infinity when there is none.
  [[nodiscard]] virtual double gauge(std::span<const double> point) const = 0;
  // gauge(point) <= 1 + tolerance.
  [[nodiscard]] virtual bool contains(std::span<const double> point, double tolerance = 0.0) const = 0;
  // sup of the Euclidean norm over K: the paper's ||C||.
  [[nodiscard]] virtual double diameter() const = 0;
  // Gaussian width w(K) = E sup_{v in K} <v, g>, g standard normal.
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

// {v : ||v||_2 <= radius}. Throws RequestError unless radius is positive and finite and dimension >= 1.
std::unique_ptr<ConstraintSet> make_l2_ball(std::size_t dimension, double radius);
// {v : ||v||_1 <= radius}. Throws as make_l2_ball() does.
std::unique_ptr<ConstraintSet> make_l1_ball(std::size_t dimension, double radius);

// "l2:R" or "l1:R", R a positive finite decimal number. Throws RequestError naming `field`, the text and what would be
// accepted.
std::unique_ptr<ConstraintSet> parse_constraint(std::string_view text, std::size_t dimension,
                                                std::string_view field = "constraint");

}  // namespace rivulet
