#include "infer/residual_variance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet::infer {

ResidualVariance residual_variance(double residual_square, double noise_stddev, double degrees_of_freedom) {
  ResidualVariance result;
  const double location = residual_square / degrees_of_freedom;
  const double scale = noise_stddev / degrees_of_freedom;
  const double x = location / scale;
  if (!(scale > 0.0) || x > 40.0) {
    result.mean = std::max(location, 0.0);
    result.privacy_stddev = scale;
  } else if (x < -30.0) {
    // So far out the cut-off normal is an exponential distribution to one part in a thousand.
    result.mean = scale / -x;
    result.privacy_stddev = result.mean;
  } else {
    // hazard = density / probability of N(0, 1) at and below x.
    const double hazard = 0.7978845608028653559 * std::exp(-0.5 * x * x) / std::erfc(-x * 0.7071067811865475244);
    result.mean = scale * (x + hazard);
    result.privacy_stddev = scale * std::sqrt(std::max(0.0, 1.0 - hazard * (hazard + x)));
  }
  result.sampling_stddev = result.mean * std::sqrt(2.0 / degrees_of_freedom);
  return result;
}

double effective_degrees_of_freedom(const ResidualVariance& residual, double weight, double fixed) {
  const double total = fixed + weight * residual.mean;
  const double uncertain = weight * std::hypot(residual.privacy_stddev, residual.sampling_stddev);
  if (!(uncertain > 0.0)) return std::numeric_limits<double>::infinity();
  return 2.0 * (total / uncertain) * (total / uncertain);
}

}  // namespace rivulet::infer
