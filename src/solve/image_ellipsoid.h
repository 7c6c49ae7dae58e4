// The image of an L2 ball is an ellipsoid: {L w : ||w|| <= R} with L L^T = Phi Phi^T, and the point of the ball with
// image L w and the least norm is Phi^T L^-T w, of norm ||w||. So both steps are closed forms in m dimensions.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/linear_map.h"
#include "solve/quadratic.h"
#include "solve/trust_region.h"

namespace rivulet::solve {

class ImageEllipsoid {
 public:
  // Null where the rows of Phi are linearly dependent to working precision, as they are when m > d. Time O(d m^2), for
  // sparse columns O(d c^2 + m^3).
  static std::unique_ptr<ImageEllipsoid> make(const LinearMap& map);

  // theta = the minimiser of the objective over the ball; the global one, also where Q is indefinite.
  void minimise(const Quadratic& quadratic, double radius, std::span<double> theta);
  // The point of the ball of this radius with the image nearest to the given one; of the least norm, where several are.
  // Returns the least norm a point with exactly this image has.
  double lift(std::span<const double> image, double radius, std::span<double> theta);

 private:
  ImageEllipsoid(const LinearMap& map, std::vector<double> factor);
  // theta = Phi^T L^-T w.
  void from_ball(std::span<const double> w, std::span<double> theta) const;

  const LinearMap* map_;
  std::vector<double> factor_;
  TrustRegion trust_region_;
};

}  // namespace rivulet::solve
