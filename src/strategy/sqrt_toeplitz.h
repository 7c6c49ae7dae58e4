// The yardstick: the best error any lower-triangular Toeplitz strategy can have.
#pragma once

#include <cstdint>

namespace rivulet::strategy {

// Standard deviation of the n-th prefix sum under the square-root factorisation (c_i = binom(2i,i)/4^i), for
// sensitivity 1 and unit mu: sum_{i<n} c_i^2, the Landau constant of n-1. It is the optimum among Toeplitz strategies
// with horizon n (Fichtenberger, Henzinger & Upadhyay 2022; Dvijotham et al. 2024). n >= 1; relative error below 1e-13.
double sqrt_toeplitz_stddev(std::uint64_t steps);

}  // namespace rivulet::strategy
