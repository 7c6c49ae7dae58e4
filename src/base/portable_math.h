// Exponential and logarithm from additions, multiplications and divisions alone. The C library's differ in the last
// digit between versions and between processors with and without fused multiply-add; a projection built on them would
// not give the same bits on every machine, and a model could not be made again from its statistics.
#pragma once

namespace rivulet {

// e^x. Relative error below 2 units of rounding where the result is a normal number; 0 below the range, infinite above.
double portable_exp(double x);

// log x for x >= 0, -infinity at 0. Error below 2 units of rounding of the result, also next to x = 1.
double portable_log(double x);

}  // namespace rivulet
