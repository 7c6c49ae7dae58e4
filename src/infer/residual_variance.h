// The residual variance as the privacy noise leaves it.
#pragma once

namespace rivulet::infer {

struct ResidualVariance {
  double mean = 0.0;             // the estimate
  double privacy_stddev = 0.0;   // what the privacy noise leaves open about it
  double sampling_stddev = 0.0;  // what a finite number of rows leaves open, for normal errors
};

// From an unbiased residual sum of squares with privacy noise of the given standard deviation. A variance is not
// negative, so the estimate is the mean of a normal distribution around the noisy value, cut off below zero: the noisy
// value itself when that is many standard deviations above zero, and never zero when it is drowned, for a zero would
// make prediction intervals empty. Without noise: sum / degrees_of_freedom.
ResidualVariance residual_variance(double residual_square, double noise_stddev, double degrees_of_freedom);

// Degrees of freedom (Welch and Satterthwaite) of a variance fixed + weight * residual variance, fixed known; the
// rows' own when there is no privacy noise, infinite when the residual variance does not matter.
double effective_degrees_of_freedom(const ResidualVariance& residual, double weight, double fixed);

}  // namespace rivulet::infer
