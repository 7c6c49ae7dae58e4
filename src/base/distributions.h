// Probabilities and quantiles of the textbook distributions, by Boost.Math. Nothing here feeds a model, a plan or
// noise: the last digits may differ from one version of Boost to another. No function throws; what cannot be told is
// NaN.
#pragma once

#include <cstdint>

namespace rivulet {

// Student's t, two-sided, for degrees_of_freedom >= 1/2, infinity (the normal distribution) included.
// P(|T| > |t|). Relative error below 1e-12 for results above 1e-300; below 1e-8 for |t| < 1e-4.
double two_sided_tail(double t, double degrees_of_freedom);
// The t >= 0 with two_sided_tail(t) = tail, for tail in [1e-100, 1]. Relative error below 1e-11. Infinite when the true
// value is beyond the largest double.
double two_sided_quantile(double tail, double degrees_of_freedom);

// The x with P(X <= x) = p for X standard normal, 0 < p < 1. Error below 1e-14 (1 + |x|).
double standard_normal_quantile(double p);

// Clopper and Pearson 1934: the largest p for which `successes` or fewer in `trials` have probability alpha. The true
// probability is above it with probability at most alpha over the trials, whatever it is. Rounded up, by less than
// 1e-7 relative. 0 < alpha < 1, trials >= 1.
double largest_probability(std::uint64_t successes, std::uint64_t trials, double alpha);

}  // namespace rivulet
