// Student's t distribution, two-sided, for any positive number of degrees of freedom, infinity (the normal
// distribution) included.
#pragma once

namespace rivulet::infer {

// P(|T| > |t|). Relative error below 1e-9 for |t| up to 10, below 1e-7 for results above 1e-300.
double two_sided_tail(double t, double degrees_of_freedom);

// The t >= 0 with two_sided_tail(t) = tail, for tail in (0, 1]. Relative error below 1e-9 for tails above 1e-15;
// infinite when the true value is beyond the largest double.
double two_sided_quantile(double tail, double degrees_of_freedom);

}  // namespace rivulet::infer
