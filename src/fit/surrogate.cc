#include "fit/surrogate.h"

#include <cmath>

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::fit {
namespace {

// log(1 + e^-m) + m / 2 - log 2, even in m; by log(cosh(m / 2)), which keeps its digits near 0.
double even_part(double m) {
  const double half = std::abs(m) / 2.0;
  const double s = std::sinh(half / 2.0);
  return half < 20.0 ? std::log1p(2.0 * s * s) : half - std::log(2.0);
}

}  // namespace

double surrogate_curvature(double margin) {
  constexpr double kLargest = 100.0;
  if (!(margin >= 0.0 && margin <= kLargest)) {
    throw RequestError("margin", shown(margin) + " given; accepted: 0 to 100, e.g. 4 for log-odds between -4 and 4");
  }
  constexpr double kTaylor = 0.125;
  if (margin < 1e-3) return kTaylor;
  // The regression of e on 1 and m^2, by the midpoint rule in units of the margin.
  constexpr int kPoints = 4096;
  double moments[5] = {};
  for (int i = 0; i < kPoints; ++i) {
    const double u = (i + 0.5) / kPoints;
    const double square = u * u;
    const double e = even_part(margin * u);
    const double terms[5] = {1.0, square, square * square, e, e * square};
    for (int k = 0; k < 5; ++k) moments[k] += terms[k];
  }
  const double slope =
      (moments[0] * moments[4] - moments[1] * moments[3]) / (moments[0] * moments[2] - moments[1] * moments[1]);
  return slope / (margin * margin);
}

}  // namespace rivulet::fit
