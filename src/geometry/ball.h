// What the norm balls share: checked radii, their text form, and the last nudge that makes a projection land inside
// exactly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "rivulet/constraint.h"

namespace rivulet::geometry {

// Throws RequestError unless dimension >= 1 and radius is positive and finite.
void require_ball(std::size_t dimension, double radius);
// radius * factor. Throws RequestError unless factor and the product are positive and finite.
double scaled_radius(double radius, double factor);
// "kind:radius" with the shortest digits that read back as the same double.
std::string ball_name(std::string_view kind, double radius);

// Largest absolute entry; NaN when an entry is NaN.
double largest_magnitude(std::span<const double> point);
// Throws Error unless every entry is finite.
void require_finite(std::span<const double> point);

// A projection computed in floating point may end a few units in the last place outside. Shrinks the point toward the
// origin, by twice as much at every attempt, until contains() holds; the origin is in every set, so this ends.
void shrink_inside(const ConstraintSet& set, std::span<double> point);

}  // namespace rivulet::geometry
