// What the sets share: checked radii, their text form, norms without overflow, the last nudge that makes a projection
// land inside exactly, and widths computed once.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "rivulet/constraint.h"

namespace rivulet::geometry {

[[nodiscard]] bool positive_finite(double value);
// Throws RequestError unless dimension >= 1 and radius is positive and finite.
void require_ball(std::size_t dimension, double radius);
// radius * factor. Throws RequestError unless factor and the product are positive and finite.
double scaled_radius(double radius, double factor);
// "kind:radius", or "kind:first:second", with the shortest digits that read back as the same doubles.
std::string ball_name(std::string_view kind, double radius);
std::string set_name(std::string_view kind, std::initializer_list<double> numbers);

// Largest absolute entry; NaN when an entry is NaN.
double largest_magnitude(std::span<const double> point);
// Throws Error unless every entry is finite.
void require_finite(std::span<const double> point);
// Euclidean norm divided by `unit`, also where the squares would overflow or lose digits. Relative error below 2 + d/2
// units of rounding.
double norm_in_units(std::span<const double> point, double unit);
// The sum of absolute values divided by `unit`, also where the sum would overflow. Same error.
double sum_in_units(std::span<const double> point, double unit);

// A projection computed in floating point may end a few units in the last place outside. Shrinks the point toward the
// origin, by twice as much at every attempt, until contains() holds; for sets with the origin inside this ends.
void shrink_inside(const ConstraintSet& set, std::span<double> point);

// Whether a Gaussian width is at most half that of the L2 ball of the same diameter: the rule by which sets whose shape
// depends on parameters answer prefers_width(). Mean of log(excess risk with the noise-aware regularisation / without),
// over sets of 60 shapes in 5 to 80 dimensions, by the ratio of the two widths (`width_rule_study`, tests/geometry):
//     ratio below 0.4   0.4 to 0.5   0.5 to 0.6   0.6 to 0.8   above 0.8
//               +0.43        +0.17        -0.02        -0.14       -0.27
[[nodiscard]] bool far_below_l2_ball(double width, std::size_t dimension, double diameter);

// A width that takes a while to compute: computed on first demand, once for a set and all its multiples.
//
// Copies share the value. Safe from several threads; the sets stay immutable to their callers.
class CachedWidth {
 public:
  template <typename Compute>
  [[nodiscard]] double get(const Compute& compute) const {
    std::call_once(state_->once, [&] { state_->value = compute(); });
    return state_->value;
  }

 private:
  struct State {
    std::once_flag once;
    double value = 0.0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace rivulet::geometry
